import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { onTestFinished } from 'vitest'
import type { AgentDefinition, RuntimeOptions } from '../src/contracts/api.ts'
import type { ThreadHandle } from '../src/contracts/thread-handle.ts'
import type { Fact, FactOf } from '../src/contracts/fact.ts'
import type { LanguageModel } from '../src/contracts/model.ts'
import type { Runtime } from '../src/contracts/api.ts'
import type { Store } from '../src/contracts/store.ts'
import type { Tool } from '../src/contracts/tool.ts'
import { defineTool } from '../src/define-tool.ts'
import { freezeDefinition } from '../src/manifest/definitions.ts'
import { loadAjv2020, loadAjv7, loadLiquid } from '../src/manifest/libraries.ts'
import { resolvePlugins } from '../src/manifest/plugins.ts'
import { answeringModel } from '../src/models/scripted-model.ts'
import type { ScriptTurn } from '../src/models/script-turn.ts'
import { createRuntime } from '../src/runtime.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { FakeClock } from '../src/testing/fake-clock.ts'
import type { FaultPoint } from '../src/testing/fault-plan.ts'
import { loadRe2 } from '../src/util/libraries.ts'

/** What is not there after this long never comes, also on a busy machine. */
const LONGEST_WAIT_MS = 60_000

/** What a test's model is asked: `answers` counts the model's own answers in the prompt, `request` the requests so far, from 1. */
export interface Asked {
  readonly prompt: LanguageModelV4Prompt
  readonly answers: number
  readonly request: number
  readonly call: LanguageModelV4CallOptions
}

/** A model that keeps every prompt that it was given. */
export interface RecordingModel extends LanguageModel {
  readonly prompts: LanguageModelV4Prompt[]
  readonly calls: LanguageModelV4CallOptions[]
}

/** A model that a function answers for. As strict as a provider: it refuses a history that no provider would take. */
export function recordingModel(answer: (asked: Asked) => ScriptTurn | Promise<ScriptTurn>): RecordingModel {
  const prompts: LanguageModelV4Prompt[] = []
  const calls: LanguageModelV4CallOptions[] = []
  const model = answeringModel((prompt, call) => {
    prompts.push(prompt)
    calls.push(call)
    const fault = faultOf(prompt)
    if (fault !== null) return { error: { message: fault, status: 400 } }
    const answers = prompt.filter((message) => message.role === 'assistant').length
    return answer({ prompt, answers, request: prompts.length, call })
  })
  return Object.assign(model, { prompts, calls })
}

/** A model whose streams a test writes itself. */
export function streamingModel(
  stream: (asked: Asked) => AsyncIterable<LanguageModelV4StreamPart> | Iterable<LanguageModelV4StreamPart>
): RecordingModel {
  const model = recordingModel(() => ({ text: '' }))
  return {
    ...model,
    async doStream(call) {
      model.prompts.push(call.prompt)
      model.calls.push(call)
      const answers = call.prompt.filter((message) => message.role === 'assistant').length
      const fault = faultOf(call.prompt)
      if (fault !== null) throw new Error(fault)
      return { stream: toStream(stream({ prompt: call.prompt, answers, request: model.prompts.length, call })) }
    }
  }
}

/** A model that streams these parts, one list for each request; the last one again and again. */
export function parrot(...requests: (readonly LanguageModelV4StreamPart[])[]): RecordingModel {
  return streamingModel(({ request }) => requests[Math.min(request, requests.length) - 1] ?? [])
}

function toStream<T>(parts: AsyncIterable<T> | Iterable<T>): ReadableStream<T> {
  const iterator = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]()
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    }
  })
}

/** Why a strict provider refuses a prompt, or null. */
export function faultOf(prompt: LanguageModelV4Prompt): string | null {
  if (!JSON.stringify(prompt).isWellFormed() || hasLoneSurrogate(prompt)) return 'the request is not well-formed Unicode'
  const seen = new Set<string>()
  for (const [index, message] of prompt.entries()) {
    if (message.role === 'system') {
      if (message.content.trim() === '') return 'an empty system prompt'
      continue
    }
    if (message.content.length === 0) return `message ${index} is empty`
    if (message.content.some((part) => part.type === 'text' && part.text.trim() === '')) return `message ${index} has an empty text`
    const fault = message.role === 'assistant' ? faultOfCalls(message, prompt[index + 1], seen) : faultOfResults(message, prompt[index - 1])
    if (fault !== null) return `message ${index}: ${fault}`
  }
  return null
}

function faultOfCalls(message: LanguageModelV4Message, next: LanguageModelV4Message | undefined, seen: Set<string>): string | null {
  const ids = idsOf(message, 'tool-call')
  for (const id of ids) {
    if (id === '' || seen.has(id)) return `the call id "${id}" is empty or used twice`
    seen.add(id)
  }
  const results = next?.role === 'tool' ? idsOf(next, 'tool-result') : []
  return ids.join() === results.join() ? null : `the calls ${ids.join()} are followed by the results ${results.join()}`
}

function faultOfResults(message: LanguageModelV4Message, before: LanguageModelV4Message | undefined): string | null {
  if (message.role !== 'tool') return null
  if (before?.role !== 'assistant') return 'results without calls'
  const isEmpty = message.content.some(
    (part) =>
      part.type === 'tool-result' && 'value' in part.output && typeof part.output.value === 'string' && part.output.value.trim() === ''
  )
  return isEmpty ? 'an empty result' : null
}

function idsOf(message: LanguageModelV4Message, type: 'tool-call' | 'tool-result'): readonly string[] {
  if (typeof message.content === 'string') return []
  // What the provider ran itself has its result beside it.
  const own = message.content.filter((part) => part.type !== 'tool-call' || part.providerExecuted !== true)
  return own.flatMap((part) => (part.type === type && 'toolCallId' in part ? [part.toolCallId] : []))
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([key, item]) => !key.isWellFormed() || hasLoneSurrogate(item))
}

/** What the model is shown of the results in a prompt, by call id. */
export function resultsIn(
  prompt: LanguageModelV4Prompt | undefined
): ReadonlyMap<string, { readonly type: string; readonly value?: unknown }> {
  const results = new Map<string, { readonly type: string; readonly value?: unknown }>()
  for (const message of prompt ?? []) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') results.set(part.toolCallId, part.output)
  }
  return results
}

/** The texts of people in a prompt, in order. */
export function userTexts(prompt: LanguageModelV4Prompt | undefined): readonly string[] {
  return (prompt ?? []).flatMap((message) =>
    message.role === 'user' ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : []
  )
}

/** An agent that asks `main`. */
export function agentOf(over: Partial<AgentDefinition> = {}): AgentDefinition {
  return { name: 'agent', model: { ref: 'main' }, ...over }
}

/** A runtime that is closed with the test; without a store it makes one in memory. */
export function runtimeFor(model: LanguageModel, options: Partial<RuntimeOptions> = {}): Runtime & { readonly store: Store } {
  const store = options.store ?? memoryStore(options.clock ? { clock: options.clock } : {})
  const runtime = createRuntime({ store, models: { main: model }, ...options })
  onTestFinished(() => runtime.close({ graceMs: 0 }))
  return Object.assign(runtime, { store })
}

/** A SQLite store in a folder of its own, closed with the test. */
export async function sqlite(): Promise<Store> {
  const store = await sqliteStore(join(await folder(), 'holdfast.db'), { durability: 'process' })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return store
}

/** A tool that takes anything. */
export function toolOf(name: string, execute: Tool['execute'], over: Partial<Parameters<typeof defineTool>[0]> = {}): Tool<never> {
  return defineTool({ name, description: name, input: { type: 'object' }, ...over, execute })
}

/** All facts of a thread, in order. */
export async function factsOf(handle: Pick<ThreadHandle, 'log'>): Promise<readonly Fact[]> {
  const facts: Fact[] = []
  for (let from = 1; ; ) {
    const page = await handle.log(from, 8_000_000)
    for (const commit of page) facts.push(...commit.facts)
    if (page.length === 0) return facts
    from = (page.at(-1)?.sequence ?? from) + 1
  }
}

/** The facts of one type. */
export async function factsOfType<T extends Fact['type']>(handle: Pick<ThreadHandle, 'log'>, type: T): Promise<readonly FactOf<T>[]> {
  return (await factsOf(handle)).filter((fact): fact is FactOf<T> => fact.type === type)
}

/** How the calls of a thread ended, in order of their settlement. */
export async function outcomesOf(handle: Pick<ThreadHandle, 'log'>): Promise<readonly string[]> {
  return (await factsOfType(handle, 'call.settled')).map((fact) => fact.outcome)
}

/** A promise that a test settles. */
export function latch<T = void>(): { readonly open: (value: T) => void; readonly opened: Promise<T> } {
  const { promise, resolve } = Promise.withResolvers<T>()
  return { open: resolve, opened: promise }
}

/** Waits until something holds; bounded against hanging. */
export async function until(holds: () => unknown): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`this did not come about: ${holds.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** A plan for some methods of a store by their own count, from 1: what is repeated may otherwise fall into step with the heartbeat, for good. */
export function counted(
  methods: readonly string[],
  plan: (count: number) => FaultPoint
): (call: { readonly method: string }) => FaultPoint {
  let count = 0
  return ({ method }) => (methods.includes(method) ? plan(++count) : null)
}

/** Fails when a promise is not settled in time. */
export async function within<T>(promise: Promise<T>, durationMs = LONGEST_WAIT_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`nothing came within ${durationMs} ms`)), durationMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs to the end, moving the clock to the next sleeper whenever nothing else happens. */
export async function runThrough<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  // What is loaded when it is first needed takes a time that this clock knows nothing of: it would run on meanwhile, as far as it can.
  loaded ??= loadAtFirstUse()
  await loaded
  let isOver = false
  const end = work.finally(() => {
    isOver = true
  })
  end.catch(() => {})
  const latest = performance.now() + LONGEST_WAIT_MS
  while (!isOver) {
    if (performance.now() > latest) throw new Error('the work did not come to an end')
    await clock.advance(Math.min(Math.max(1, clock.nextInMs ?? 1), 1_000))
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return end
}

let loaded: Promise<void> | undefined

async function loadAtFirstUse(): Promise<void> {
  await Promise.all([loadAjv2020(), loadAjv7(), loadLiquid(), loadRe2()])
  await freezeDefinition({ name: 'first', model: { ref: 'none' } }, [], {})
  await resolvePlugins(['first'], { names: [], find: () => undefined })
}

/** A folder that goes with the test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'holdfast-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}
