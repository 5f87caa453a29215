import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { AgentDefinition, Runtime } from '../../src/contracts/api.ts'
import type { Effect, Fact, FactOf } from '../../src/contracts/fact.ts'
import type { Store } from '../../src/contracts/store.ts'
import type { Tool, ToolContext } from '../../src/contracts/tool.ts'
import type { ScriptTurn } from '../../src/models/script-turn.ts'
import { createRuntime } from '../../src/runtime.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import type { Asked, RecordingModel } from '../runtime-kit.ts'
import { agentOf, factsOf, recordingModel, toolOf, until, userTexts } from '../runtime-kit.ts'

/** What happened outside, whatever process did it: and every time that a tool began. */
export interface World {
  readonly begun: { readonly call: string; readonly key: string }[]
  /** What models were asked. */
  readonly prompts: LanguageModelV4Prompt[]
}

/** One process: a runtime over a handle on the store, its model, and the world that all processes share. */
export interface Process {
  readonly runtime: Runtime
  readonly model: RecordingModel
  readonly world: World
  readonly clock: FakeClock
}

/** What a client does, with a key for everything, so that it can begin anew in any process. */
export type Client = (process: Process, key: string, options: { readonly takeover: boolean }) => Promise<Ending>

/** What a scenario leaves. */
export interface Ending {
  readonly ends: readonly FactOf<'run.ended'>[]
  readonly facts: readonly Fact[]
  /** The last prompt that a model was given. */
  readonly prompt: LanguageModelV4Prompt | undefined
  /** How often this process asked a model before its cancelled run was over. */
  readonly requests?: number
}

/** Three parallel calls, a message in the middle, a call that fails, one alone, an answer that must be repaired; then a second run. */
function answer(answers: number): ScriptTurn {
  switch (answers) {
    case 0:
      return { toolCalls: [call('weigh', 1), call('price', 2), call('stock', 3)] }
    case 1:
      return { text: 'one of them fails', toolCalls: [call('broken', 4)] }
    case 2:
      return { reasoning: 'once more', toolCalls: [call('weigh', 5)] }
    case 3:
      return { text: 'it is 12' }
    case 4:
      return { text: '{"total":12}' }
    case 5:
      return { toolCalls: [call('price', 6), call('stock', 7)] }
    default:
      return { text: '{"total":13}' }
  }
}

function answerHanging(prompt: LanguageModelV4Prompt): ScriptTurn {
  return userTexts(prompt).includes('go on') ? { text: '{"total":0}' } : { toolCalls: [call('weigh', 1), call('hang', 2)] }
}

/** Calls, an answer that somebody cuts short, a call and an answer. */
async function answerInterrupted({ answers, prompt, call: { abortSignal } }: Asked): Promise<ScriptTurn> {
  if (answers === 0) return { toolCalls: [call('weigh', 1), call('stock', 8)] }
  if (!userTexts(prompt).includes('in pounds')) {
    await new Promise((resolve) => abortSignal?.addEventListener('abort', resolve))
    return { text: '{"total":1}' }
  }
  return answers === 1 ? { toolCalls: [call('weigh', 9)] } : { text: '{"total":2}' }
}

function call(name: string, item: number) {
  return { name, arguments: { item } }
}

/** Starts a process. What its tools do is told to the world before anything else can go wrong. */
export function startProcess(store: Store, clock: FakeClock, world: World, effects: { readonly [tool: string]: Effect }): Process {
  const model = recordingModel((asked) => {
    const { answers, prompt } = asked
    world.prompts.push(prompt)
    const [first] = userTexts(prompt)
    if (first === 'hesitate') return answerInterrupted(asked)
    return first === 'hang' ? answerHanging(prompt) : answer(answers)
  })
  const tools = toTools(() => runtime, world, effects)
  const runtime: Runtime = createRuntime({ store, clock, tools, models: { main: model } })
  return { runtime, model, world, clock }
}

export const AGENT: AgentDefinition = agentOf({
  tools: ['weigh', 'price', 'stock', 'broken'],
  outputSchema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'], additionalProperties: false }
})

function toTools(runtime: () => Runtime, world: World, effects: { readonly [tool: string]: Effect }): readonly Tool<never>[] {
  const tool = (name: string, act: (item: number, context: ToolContext) => unknown) => {
    const execute = async ({ item }: { readonly item: number }, context: ToolContext): Promise<unknown> => {
      world.begun.push({ call: context.call, key: context.idempotencyKey })
      return act(item, context)
    }
    return toolOf(name, execute as Tool['execute'], { effect: effects[name] ?? 'read' })
  }
  return [
    tool('weigh', (item) => ({ item, kilos: 2 * item })),
    tool('price', async (item, context) => {
      // Somebody says something while the tools of the first turn run.
      if (item === 2) await runtime().thread(context.thread).message('in euros, please', { id: 'said-1' })
      return item * 10
    }),
    // Its siblings are on record before it ends, so that the commits are the same whenever nothing goes wrong.
    tool('stock', async (_, context) => {
      await until(async () => (await openSiblings(runtime(), context)) === 0)
      return 'enough'
    }),
    tool('broken', () => {
      throw new Error('out of order')
    }),
    tool('hang', (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'))))
  ]
}

/** A tool that notes in the world that it began, and says what it did. */
export function notedTool(name: string, world: World, over: Parameters<typeof toolOf>[2]): Tool<never> {
  const execute: Tool['execute'] = (input, { call, idempotencyKey }) => {
    world.begun.push({ call, key: idempotencyKey })
    return `${name} did ${JSON.stringify(input)}`
  }
  return toolOf(name, execute, over)
}

async function openSiblings(runtime: Runtime, { thread, call: own }: ToolContext): Promise<number> {
  const turn = own.slice(0, own.lastIndexOf('.'))
  const facts = (await factsOf(runtime.thread(thread))).filter(
    (fact) => 'call' in fact && fact.call !== own && fact.call?.startsWith(`${turn}.`)
  )
  const settled = facts.filter((fact) => fact.type === 'call.settled').length
  return facts.filter((fact) => fact.type === 'call.gated').length - settled
}

/** Starts a run, waits for its end, says something more and waits again. */
export const converse: Client = async (process, key, options) => {
  const handle = await process.runtime.start(AGENT, { input: 'what is it worth?', idempotencyKey: key })
  if (options.takeover) await handle.resume({ takeover: true })
  await handle.settled()
  await handle.message('and with the spare one?', { id: 'said-2' })
  await handle.settled()
  return toEnding(process, await factsOf(handle))
}

/** Starts a run and cancels it while a tool runs (a new process: at once), then says something more. */
export const cancel: Client = async (process, key, options) => {
  const handle = await process.runtime.start({ ...AGENT, tools: ['weigh', 'hang'] }, { input: 'hang', idempotencyKey: key })
  if (!options.takeover) await until(async () => (await factsOf(handle)).filter(isSettled).length > 0)
  if (!(await factsOf(handle)).some((fact) => fact.type === 'run.ended')) await handle.cancel()
  if (options.takeover) await handle.resume({ takeover: true })
  await handle.settled()
  const requests = process.model.prompts.length
  await handle.message('go on', { id: 'said-2' })
  await handle.settled()
  return { ...toEnding(process, await factsOf(handle)), requests }
}

/** Starts a run and interrupts the model when it is asked for its second answer. */
export const interrupt: Client = async (process, key, options) => {
  const handle = await process.runtime.start(AGENT, { input: 'hesitate', idempotencyKey: key })
  if (options.takeover) await handle.resume({ takeover: true })
  await until(async () => (await factsOf(handle)).some((fact) => fact.type === 'turn.started' && fact.turn.endsWith('//2')))
  await handle.message('in pounds', { id: 'said-1', interrupt: true })
  await handle.settled()
  return toEnding(process, await factsOf(handle))
}

/** What a process has to show. */
export function toEnding({ world }: Process, facts: readonly Fact[]): Ending {
  const ends = facts.filter((fact): fact is FactOf<'run.ended'> => fact.type === 'run.ended')
  return { facts, ends, prompt: world.prompts.at(-1) }
}

/** What must be the same whatever process did it: without threads, tries and attempts. */
export function toComparable({ ends, facts, prompt }: Ending): unknown {
  const runs = facts.flatMap((fact) => (fact.type === 'run.started' ? [fact.run ?? ''] : []))
  const text = JSON.stringify({
    ends,
    messages: facts
      .filter((fact) => fact.type === 'message.received' || fact.type === 'message.returned')
      .map(({ run: _, ...fact }) => ({ ...fact, interrupts: undefined })),
    settled: facts.filter(isSettled).map(({ call: id, outcome, result }) => [id, outcome, result]),
    responded: facts.filter((fact) => fact.type === 'model.responded').map(({ turn, parts, finish }) => ({ turn, parts, finish })),
    prompt
  })
  const named = JSON.parse(text.replace(/thr_[0-9a-z]+/g, 'thr').replace(/run_[0-9a-z]+/g, (id) => `run_${runs.indexOf(id) + 1}`))
  return { ...named, settled: named.settled.toSorted() }
}

/** Whether a fact is the settlement of a call. */
export function isSettled(fact: Fact): fact is FactOf<'call.settled'> {
  return fact.type === 'call.settled'
}

/** The calls that a log knows as started, and how those ended that it knows as settled. */
export function callsOf(facts: readonly Fact[]): {
  readonly open: ReadonlySet<string>
  readonly settled: ReadonlyMap<string, FactOf<'call.settled'>>
} {
  const settled = new Map(facts.filter(isSettled).map((fact) => [fact.call, fact]))
  const started = facts.flatMap((fact) => (fact.type === 'call.started' && !settled.has(fact.call) ? [fact.call] : []))
  return { open: new Set(started), settled }
}

/** Under which id the model knows each call. */
export function wireIds(facts: readonly Fact[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  for (const fact of facts) {
    if (fact.type === 'prompts.injected' && 'inline' in fact.prompts) {
      // They are the first calls of their thread, and their ids are made for them.
      const calls = fact.prompts.inline.flatMap((prompt) => prompt.calls ?? [])
      for (const position of calls.keys()) ids.set(`${fact.turn}.${position}`, `call_${position}_0_${position}`)
    }
    if (fact.type !== 'model.responded' || !('inline' in fact.parts)) continue
    const calls = fact.parts.inline.filter((part) => part.type === 'tool-call')
    for (const [position, part] of calls.entries()) ids.set(`${fact.turn}.${position}`, part.id)
  }
  return ids
}
