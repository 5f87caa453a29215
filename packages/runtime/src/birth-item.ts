import { HoldfastError } from './contracts/errors.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { Json, JsonObject } from './contracts/json.ts'
import type { Part } from './contracts/message.ts'
import type { AcceptedItem } from './contracts/store.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { inlineOf } from './state/body.ts'
import { toItem } from './inbox-delivery.ts'
import { digestJson } from './util/canonical.ts'

/**
 * The item that a thread was made with, as it was before it was taken; with a message in place of its own when one is given. Stores keep no
 * bodies of what was taken: it is built again from the facts, and its digest proves it. Throws `invalid_input` where that is not possible.
 */
export async function toBirthItem(
  core: RuntimeCore,
  source: ThreadId,
  birth: AcceptedItem,
  message: readonly Part[] | null
): Promise<AcceptedItem> {
  const bodies = birth.state === 'consumed' ? await readBodies(core, source, birth) : [birth.body]
  const whole = bodies.find((each) => digestJson([birth.kind, '', each]) === birth.digest)
  if (message === null && whole !== undefined) return { ...withoutPlace(birth), state: 'fresh', body: whole }
  const body = whole ?? bodies[0] ?? null
  if (message === null || !isObject(body)) {
    throw new HoldfastError(
      'invalid_input',
      `the thread ${source} has not begun at this commit, and what it began with is not known: give a message`,
      {
        details: { thread: source }
      }
    )
  }
  const changed = { ...body, parts: message as unknown as Json }
  const { at } = birth
  return { ...toItem(core, source, 'start', birth.id, changed), at, state: 'fresh', body: changed }
}

function withoutPlace(item: AcceptedItem): Omit<AcceptedItem, 'state' | 'takenIn' | 'body'> {
  const { id, thread, kind, from, at, scope, digest } = item
  return { id, thread, kind, from, at, digest, ...(scope === undefined ? {} : { scope }) }
}

/** What it may have held: where no variable was set, it said so or said nothing. */
async function readBodies(
  core: RuntimeCore,
  source: ThreadId,
  { id, takenIn }: Extract<AcceptedItem, { state: 'consumed' }>
): Promise<readonly Json[]> {
  const [commit] = await core.bodies.readWhole(source, takenIn, 1)
  const own = commit?.facts.filter((fact) => fact.cause === id) ?? []
  const started = own.find((fact) => fact.type === 'run.started')
  const said = own.find((fact) => fact.type === 'message.received' || fact.type === 'message.returned')?.parts
  if (started?.run === undefined || !said) return []
  const set = own.find((fact) => fact.type === 'variables.set')
  const variables = Object.fromEntries(Object.entries(set?.values ?? {}).map(([key, value]) => [key, inlineOf(value)]))
  const budget = own.find((fact) => fact.type === 'budget.set')?.limit
  const injected = own.find((fact) => fact.type === 'prompts.injected')
  const body = {
    ...{ run: started.run, parts: inlineOf(said), ...(budget === undefined ? {} : { budget }) },
    ...(injected === undefined ? {} : { initial: inlineOf(injected.prompts) })
  }
  return [{ ...body, variables }, ...(set ? [] : [body])] as unknown as readonly Json[]
}

function isObject(value: Json | null): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
