import type { Store, WaitKind, WaitRow } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { Failure } from './failure.ts'
import { listAllWaits } from './list-waits.ts'
import { isThreadId } from './thread-id.ts'
import { toVisibleLine } from './visible-text.ts'
import { toDecideLine } from './decide-step.ts'
import { toolOf, toWaitLine } from './wait-text.ts'

/** What is done about waits. */
export type DecideAct = 'approve' | 'deny' | 'answer' | 'outcome' | 'quarantine'

/** Which kinds are meant where no id is given: the first of these of which any is open. A run that was set aside is approved by its id or alone. */
const MEANT: { readonly [act in DecideAct]: readonly (readonly WaitKind[])[] } = {
  approve: [['approval', 'quarantine']],
  deny: [['approval', 'quarantine'], ['question'], ['external']],
  answer: [['question'], ['external']],
  outcome: [['outcome']],
  quarantine: [['quarantine']]
}

/** Which waits a decision is about: one by its id, the only one that is open (of a thread), or all of them expressly. */
export interface WaitChoice {
  /** A wait's id, or that of a thread. */
  readonly wait?: string | undefined
  readonly act: DecideAct
  readonly all?: boolean
  readonly tool?: string
  readonly thread?: string
}

/** What is found: rows, and ids that nothing is known of. */
export interface FoundWaits {
  readonly ids: readonly string[]
  readonly rows: readonly WaitRow[]
}

const MAX_NAMED = 20

/**
 * Finds the waits that are meant. Throws `invalid_input` when no id is given and none, or more than one (details: `waits`), is open; and for what is no
 * wait's id.
 */
export async function findWaits(store: Store, choice: WaitChoice, context: CommandContext): Promise<FoundWaits> {
  if (choice.wait !== undefined && isThreadId(choice.wait)) return await findWaits(store, { act: choice.act, thread: choice.wait }, context)
  if (choice.wait !== undefined) {
    const id = parseWaitId(choice.wait)
    const row = await store.wait(id)
    return { ids: [id], rows: row === null ? [] : [row] }
  }
  const rows = await findMeant(store, choice)
  if (rows.length === 0) throw refuseNone(choice)
  if (rows.length > 1 && choice.all !== true) throw refuseMany(rows, choice, context)
  return { ids: rows.map(({ id }) => id), rows }
}

async function findMeant(store: Store, { act, thread, tool, all }: WaitChoice): Promise<readonly WaitRow[]> {
  for (const kinds of MEANT[act]) {
    // A run that was set aside is approved one by one: nobody tries what kills processes again in a row.
    const kind = all === true ? kinds.filter((each) => each !== 'quarantine') : kinds
    const listed = await listAllWaits(store, { kind, ...(thread === undefined ? {} : { thread }) })
    const rows = listed.filter((wait) => wait.state === 'open' && (tool === undefined || toolOf(wait) === tool))
    if (rows.length > 0) return rows
  }
  return []
}

/** A wait's id as a person typed it. Throws `invalid_input`. */
export function parseWaitId(text: string): string {
  if (/^thr_[0-9A-Za-z_-]{1,64}:[\x21-\x7e]{1,1000}$/.test(text)) return text
  throw new Failure(
    'invalid_input',
    `${JSON.stringify(text.slice(0, 100))} is neither a wait's id nor a thread's: the former begins with thr_ and has colons.`,
    {
      remedy: 'List what waits with `holdfast waits`.'
    }
  )
}

const NONE: { readonly [act in DecideAct]: string } = {
  approve: 'No call is held',
  deny: 'No call is held, and no question is open',
  answer: 'No question is open, and no result is waited for',
  outcome: 'No call has an outcome that a person must say',
  quarantine: 'No run was set aside'
}

function refuseNone({ act, thread, tool }: WaitChoice): Failure {
  const what = NONE[act]
  const where = [...(tool === undefined ? [] : [` of the tool ${toVisibleLine(tool)}`]), ...(thread === undefined ? [] : [` in ${thread}`])]
  return new Failure('invalid_input', `${what}${where.join('')}.`, { remedy: 'See what waits with `holdfast waits`.' })
}

function refuseMany(rows: readonly WaitRow[], { act }: WaitChoice, { options }: CommandContext): Failure {
  const lines = rows.slice(0, MAX_NAMED).map((wait) => `  ${toDecideLine(wait, options.store) ?? wait.id}\n    ${toWaitLine(wait)}`)
  const more = rows.length > MAX_NAMED ? [`  ... and ${rows.length - MAX_NAMED} more`] : []
  return new Failure('invalid_input', `${rows.length} waits are open. Name the one that is meant:\n${[...lines, ...more].join('\n')}`, {
    details: { waits: rows.slice(0, 1_000).map(({ id }) => id) },
    remedy:
      act === 'approve'
        ? 'To decide about all of them at once, say so: `holdfast approve --all`, with --tool or --thread for some.'
        : 'Give its id behind the command; `holdfast waits` shows each of them whole.'
  })
}
