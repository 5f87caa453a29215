// Keeps I5, I6, I7, I11 and I12 with real processes, and a provider of each wire that refuses what the real one would.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Fact, WaitRow } from '@holdfast/runtime'
import { sqliteStore } from '@holdfast/runtime'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Child } from '../../runtime/test/crash/process.ts'
import { startScript, wholeLinesOf } from '../../runtime/test/crash/process.ts'
import { folder, within } from '../../runtime/test/runtime-kit.ts'
import { listAt } from './strict/body-reader.ts'
import { NO_SIGNATURE } from './strict/google-rules.ts'
import type { StrictAnswer } from './strict/strict-answers.ts'
import type { StrictProvider } from './strict/strict-provider.ts'
import { startStrictProvider, STRICT_MODELS, toStrictConfig } from './strict/strict-provider.ts'
import type { Wire } from './strict/strict-rule.ts'
import { TAKEN_BODIES } from './strict/strict-rules.ts'
import type { ChildOptions, Task } from './waits/child.ts'

const WIRES = Object.keys(TAKEN_BODIES) as readonly Wire[]
const CHILD = fileURLToPath(new URL('./waits/child.ts', import.meta.url))
const SLOW = 120_000

const ANSWERS: readonly StrictAnswer[] = [
  {
    text: 'Four things at once.',
    calls: [
      { name: 'weigh', arguments: { amount: 1 } },
      { name: 'pay', arguments: { amount: 100 } },
      { name: 'mail', arguments: { amount: 2 } },
      { name: 'ask_user', arguments: { question: 'Which account?', options: ['a', 'b'] } }
    ]
  },
  { calls: [{ name: 'weigh', arguments: { amount: 3 } }] },
  { text: 'All is settled.' }
]

interface Place {
  readonly provider: StrictProvider
  /** Runs a process to its end. */
  run(person: string, task: Task): Promise<Child>
  start(person: string, task: Task): Child
  ledger(): readonly { readonly tool: string; readonly input: unknown; readonly key: string; readonly pid: number }[]
  facts(thread: string): Promise<readonly Fact[]>
}

async function place(wire: Wire): Promise<Place> {
  const provider = await startStrictProvider(wire, (answers) => ANSWERS[answers] ?? { text: 'nothing more' })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const path = join(await folder(), 'holdfast.db')
  const ledger = `${path}.ledger`
  const common = { path, ledger, provider: toStrictConfig(wire, provider.url), model: STRICT_MODELS[wire] }
  const start = (person: string, task: Task): Child => {
    const options: ChildOptions = { ...common, person, task }
    return startScript(CHILD, options)
  }
  return {
    provider,
    start,
    async run(person, task) {
      const child = start(person, task)
      expect(await within(child.ended, SLOW)).toBe(0)
      return child
    },
    ledger: () => wholeLinesOf(ledger).map((line) => JSON.parse(line)),
    async facts(thread) {
      await using store = await sqliteStore(path, { durability: 'process' })
      return (await store.read(thread, 1, 8_000_000)).flatMap((commit) => commit.facts)
    }
  }
}

function said<T>(child: Child, key: string): T {
  const line = child.lines.find((each) => key in each)
  return line?.[key] as T
}

const waitFor = (waits: readonly WaitRow[], tool: string): string =>
  waits.find(({ kind, subject }) => (kind === 'question' ? tool === 'ask_user' : JSON.stringify(subject).includes(`"tool":"${tool}"`)))
    ?.id ?? ''

/** The texts of the results of the first turn as the provider was sent them last, by tool, in their order. */
function resultsOf({ requests }: StrictProvider): readonly string[] {
  const body = requests.at(-1)?.body
  const messages = [...listAt(body, 'messages'), ...listAt(body, 'input'), ...listAt(body, 'contents')]
  const isResult = (text: string): boolean => /"tool_result"|"functionResponse"|"function_call_output"|"role":"tool"/.test(text)
  return messages
    .flatMap((message) => {
      const parts = [...listAt(message, 'content'), ...listAt(message, 'parts')]
      return parts.length > 0 ? parts : [message]
    })
    .map((part) => JSON.stringify(part))
    .filter(isResult)
}

describe.each(
  WIRES.flatMap((wire) => [undefined, 'weigh'].map((dieIn) => ({ wire, dieIn, where: dieIn ? 'in its free tool' : 'at rest' })))
)('over $wire, with a first process that is killed $where', ({ wire, dieIn }) => {
  // B030, B034, B036, B037, B038, B043
  test('four processes bring a turn with a free call, two held ones and a question to its end', { timeout: 4 * SLOW }, async () => {
    const here = await place(wire)
    const first = here.start('ann', { do: 'start', ...(dieIn === undefined ? {} : { dieIn }) })
    if (dieIn === undefined) {
      expect(await within(first.says({ rests: 'waiting' }), SLOW)).toBeDefined()
      first.kill('SIGKILL')
    }
    expect(await within(first.ended, SLOW)).toBe('SIGKILL')
    const thread = said<string>(first, 'started')

    const second = await here.run('ann', { do: 'list' })
    const waits = said<readonly WaitRow[]>(second, 'waits')
    expect(waits.map(({ kind }) => kind).toSorted()).toEqual(['approval', 'approval', 'question'])
    if (dieIn !== undefined) await here.run('ann', { do: 'take over', thread })
    // The waits are the same whoever drove since.
    expect(said<readonly WaitRow[]>(await here.run('bob', { do: 'list' }), 'waits').map(({ id }) => id)).toEqual(waits.map(({ id }) => id))
    expect(here.ledger().map(({ tool }) => tool)).toEqual(dieIn === undefined ? ['weigh'] : ['weigh', 'weigh'])

    const decisions = [
      { wait: waitFor(waits, 'mail'), deny: 'use the test account "ä" <b>' },
      { wait: waitFor(waits, 'pay'), edit: { amount: 50 } }
    ]
    const third = await here.run('bob', { do: 'decide', decisions })
    expect(third.lines).toEqual(decisions.map(({ wait }) => ({ decided: wait, state: 'accepted' })))
    const fourth = await here.run('cleo', { do: 'answer', wait: waitFor(waits, 'ask_user'), answer: 'b', thread })
    expect(fourth.lines).toEqual([{ answered: 'accepted' }, { ended: 'completed', text: 'All is settled.' }])

    // Each effect at most once, and what was approved exactly once, with the arguments of whoever approved it.
    const ledger = here.ledger()
    expect(ledger.filter(({ tool }) => tool !== 'weigh')).toMatchObject([{ tool: 'pay', input: { amount: 50 } }])
    expect(ledger.filter(({ input }) => JSON.stringify(input) === '{"amount":3}')).toHaveLength(1)
    const facts = await here.facts(thread)
    const settled = facts.filter((fact) => fact.type === 'call.settled')
    expect(new Set(settled.map((fact) => fact.call)).size).toBe(settled.length)
    expect(settled.map((fact) => fact.outcome).toSorted()).toEqual(['denied', 'ok', 'ok', 'ok', 'ok'])
    expect(facts.filter((fact) => fact.type === 'wait.resolved').map((fact) => fact.by?.id)).toEqual(['bob', 'bob', 'cleo'])

    // One request behind the last decision, and everything that was sent is what the provider takes.
    expect(here.provider.refused).toEqual([])
    expect(here.provider.requests).toHaveLength(3)
    expect(JSON.stringify(here.provider.requests)).not.toContain(NO_SIGNATURE)
    const results = resultsOf(here.provider)
    expect(results).toHaveLength(5)
    for (const [index, told] of [/weigh did/, /\\"amount\\":50/, /use the test account/, /\bb\b/, /weigh did/].entries())
      expect(results[index]).toMatch(told)
    // Who decided stays in the log.
    expect(JSON.stringify(here.provider.requests)).not.toMatch(/ann|bob|cleo/)

    // Whoever decides once more is told what was decided.
    const late = await here.run('bob', {
      do: 'decide',
      decisions: [{ wait: waitFor(waits, 'pay'), edit: { amount: 50 } }, { wait: waitFor(waits, 'mail') }]
    })
    expect(late.lines.map((line) => line['state'])).toEqual(['repeated', 'conflict'])
    expect(here.ledger()).toEqual(ledger)
  })
})
