import { assertKey } from './caller-key.ts'
import type { MessageOptions, MessageReceipt } from './contracts/receipt.ts'
import type { ThreadHandle } from './contracts/thread-handle.ts'
import { HoldfastError, isHoldfastError } from './contracts/errors.ts'
import type { ThreadId } from './contracts/ids.ts'
import { assertKnownOptions } from './contracts/known-options.ts'
import type { JsonObject } from './contracts/json.ts'
import type { Part } from './contracts/message.ts'
import type { SecretRegistry } from './contracts/secrets.ts'
import { namesInParts, redactParts } from './effects/redact-parts.ts'
import { faultOfPart } from './part-fault.ts'
import { deliver, toItem } from './inbox-delivery.ts'
import { readReceipt } from './item-receipt.ts'
import { CANCEL, EVENTS, LOG, MESSAGE, PROMPT, RECEIPT, REMOVE, RESUME, SETTLED } from './option-names.ts'
import { removeThread } from './remove-thread.ts'
import { toRunResult } from './run-result.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { ANYBODY } from './runtime-core.ts'
import { resumeThread } from './resume-thread.ts'
import { readInfo, untilRest } from './rest.ts'
import { withoutSecrets } from './secrets.ts'
import { toPlainValues } from './state/plugin-values.ts'
import { findNoRetry } from './state/retry.ts'
import { extendBudget, readBudget } from './thread-budget.ts'
import { threadEvents } from './thread-events.ts'
import { exportThread, readPrompt, threadRecords, verifyThread } from './thread-reports.ts'
import { digestText } from './util/canonical.ts'
import { isDeeplyNested, MAX_LEVELS } from './util/nesting.ts'
import { cutText, toWellFormedJson } from './util/well-formed.ts'
import { assertWholeNumber } from './whole-number.ts'

const PAGE_BYTES = 256 * 1024
/** What one message may weigh, as JSON. Until it is taken it lies in an inbox, which is read as a whole. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** Facts and lists show it. */
const MAX_REASON_LENGTH = 2_000

/** A handle on one thread. It holds nothing open: everything goes through the store. */
export function createThreadHandle(core: RuntimeCore, id: ThreadId): ThreadHandle {
  return {
    id,
    info: () => readInfo(core, id),
    runs: async () => core.store.runs((await readInfo(core, id)).id),
    log: async (from = 1, limitBytes = PAGE_BYTES, options = {}) => {
      assertKnownOptions('log', options, LOG)
      const { id: thread } = await readInfo(core, id)
      return options.bodies === 'whole' ? core.bodies.readWhole(thread, from, limitBytes) : core.store.read(thread, from, limitBytes)
    },
    events: (options = {}) => {
      assertKnownOptions('events', options, EVENTS)
      return threadEvents(core, id, options)
    },
    settled: async (options = {}) => {
      assertKnownOptions('settled', options, SETTLED)
      for (;;) {
        const result = await toRunResult(core, await untilRest(core, id, options))
        if (result !== undefined) return result
      }
    },
    message: (input, options = {}) =>
      withoutSecrets(core.secrets, async () => sendMessage(core, id, toMessage(input, core.secrets), options)),
    cancel: async (options = {}) => {
      assertKnownOptions('cancel', options, CANCEL)
      assertWholeNumber('graceMs', options.graceMs, 0)
      await readInfo(core, id)
      const reason = cutText(core.secrets.redact(options.reason ?? 'cancelled'), MAX_REASON_LENGTH).toWellFormed()
      const body = { reason, ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }) }
      const item = `cancel:${core.ids.next(16)}`
      await deliver(core, toItem(core, id, 'cancel', item, body))
      return { item }
    },
    receipt: async (item, options = {}) => {
      assertKnownOptions('receipt', options, RECEIPT)
      return readReceipt(core, id, item, options)
    },
    resume: async (options = {}) => {
      assertKnownOptions('resume', options, RESUME)
      return resumeThread(core, id, options.takeover ?? false)
    },
    retry: (input) =>
      withoutSecrets(core.secrets, async () => retry(core, id, input === undefined ? null : toMessage(input, core.secrets))),
    grants: async () => core.grantsOf(await readGrants(core, id)),
    budget: () => readBudget(core, id),
    pluginState: async () => toPlainValues((await core.fold((await readInfo(core, id)).id)).state.plugins),
    extendBudget: (change) => withoutSecrets(core.secrets, () => extendBudget(core, id, change)),
    publication: async () => core.publication((await readInfo(core, id)).publication),
    prompt: async (turn, options = {}) => {
      assertKnownOptions('prompt', options, PROMPT)
      return readPrompt(core, id, turn, options.try)
    },
    records: () => threadRecords(core, id),
    export: () => exportThread(core, id),
    verify: () => verifyThread(core, id),
    remove: async (options = {}) => {
      assertKnownOptions('remove', options, REMOVE)
      return removeThread(core, id, options)
    }
  }
}

/** The record of grants that a thread was made with. */
async function readGrants(core: RuntimeCore, id: ThreadId): Promise<unknown> {
  const { id: thread } = await readInfo(core, id)
  const [born] = await core.store.read(thread, 1, 1)
  // A log without it has no record that could be trusted.
  return born?.facts.find((fact) => fact.type === 'thread.created')?.grants ?? 'missing'
}

/** A message as it is kept, and the names of the secrets that stood in it. */
export interface GivenMessage {
  readonly parts: readonly Part[]
  readonly redacted: readonly string[]
}

/** A message from a text or from its parts: well-formed, bounded and without secrets. Throws `invalid_input` and `value_too_large`. */
export function toMessage(input: string | readonly Part[], secrets: SecretRegistry): GivenMessage {
  const given: unknown = typeof input === 'string' ? [{ type: 'text', text: input }] : input
  if (!Array.isArray(given)) throw new HoldfastError('invalid_input', 'expected a message as a text or as a list of parts')
  assertParts(given)
  const wellFormed = toWellFormedJson(given as readonly Part[])
  const redacted = namesInParts(wellFormed, secrets)
  const parts = redacted.length === 0 ? wellFormed : redactParts(wellFormed, secrets)
  // An address may be none any more.
  if (redacted.length > 0) assertParts(parts)
  assertBounds(parts)
  return { parts, redacted }
}

function assertParts(parts: readonly unknown[]): void {
  for (const [index, part] of parts.entries()) {
    const fault = faultOfPart(part)
    if (fault !== null) throw new HoldfastError('invalid_input', `the part ${index} of the message ${fault}`)
  }
}

function assertBounds(parts: readonly Part[]): void {
  if (parts.every((part) => part.type === 'text' && part.text.trim() === '')) {
    throw new HoldfastError('invalid_input', 'the message is empty: give it some text or a file')
  }
  const json = JSON.stringify(parts)
  if (isDeeplyNested(json)) throw new HoldfastError('invalid_input', `the message is nested deeper than ${MAX_LEVELS} levels`)
  const bytes = Buffer.byteLength(json)
  if (bytes > MAX_MESSAGE_BYTES) {
    throw new HoldfastError('value_too_large', `the message has ${bytes} bytes, at most ${MAX_MESSAGE_BYTES} fit: give files by URL`, {
      details: { bytes, limit: MAX_MESSAGE_BYTES }
    })
  }
}

async function sendMessage(core: RuntimeCore, thread: ThreadId, message: GivenMessage, options: MessageOptions): Promise<MessageReceipt> {
  assertKnownOptions('message', options, MESSAGE)
  const { id: key, interrupt = false } = options
  // What is sent one after another arrives so: nothing is awaited that need not be.
  const answers = options.answers ?? (core.mayDecide === ANYBODY || (await mayAnswer(core, thread)))
  assertKey('id', key)
  const { parts, redacted } = message
  await readInfo(core, thread)
  const item = key === undefined ? `msg_${core.ids.next(16)}` : core.secrets.redact(key)
  // The run that it would start is named by the item, so that the same message twice is the same message.
  const body = { run: toRunId(thread, item), parts } as unknown as JsonObject
  const kind = interrupt ? 'interrupt' : 'message'
  const [given, other] = answers ? [body, { ...body, answers: false }] : [{ ...body, answers: false }, body]
  const send = (each: JsonObject): Promise<'queued' | 'repeated'> => deliver(core, toItem(core, thread, kind, item, each))
  // What it may answer depends on what is asked: the same message is the same whatever was asked when it came first.
  const state = await send(given).catch((error: unknown) => {
    if (key !== undefined && options.answers === undefined && isHoldfastError(error) && error.code === 'conflict') return send(other)
    throw error
  })
  return { item, state, ...(redacted.length === 0 ? {} : { redacted }) }
}

/** Whether a message of this runtime's principal may be the answer to what a thread asks. */
async function mayAnswer({ store, tenant, principal, mayDecide }: RuntimeCore, thread: ThreadId): Promise<boolean> {
  const { items } = await store.waits({ tenant, thread, kind: ['question'] })
  const open = items.filter(({ state }) => state === 'open')
  for (const wait of open) if (!(await mayDecide(wait, principal))) return false
  // What is asked only by then is not what this was said to.
  return open.length > 0
}

/** The run that an item starts, so that the same item starts the same run. */
export function toRunId(thread: ThreadId, item: string): string {
  return `run_${digestText(`${thread}:${item}`).slice(7, 27)}`
}

/** Starts the next run in place of the last one: as it was asked, or with a message of its own. */
async function retry(core: RuntimeCore, thread: ThreadId, message: GivenMessage | null): Promise<MessageReceipt> {
  const { row } = await readInfo(core, thread)
  const { state } = await core.fold(thread)
  const why = findNoRetry(state)
  const needsMessage = why === 'answered' || why === 'unasked'
  if (needsMessage && !message) {
    const because =
      why === 'answered'
        ? `the model has said its last word in the last run of ${thread}`
        : `no message was let through to the model in the last run of ${thread}`
    throw new HoldfastError('invalid_input', `${because}: say what it is to do now`, { details: { thread, status: row.status, why } })
  }
  if (!state.run || (why !== null && !needsMessage)) {
    throw new HoldfastError('conflict', `the last run of ${thread} did not fail and was not stopped: it is ${row.status}`, {
      details: { thread, status: row.status }
    })
  }
  // Several retries of one run are one.
  const item = `retry:${state.run.id}`
  if (message) return sendMessage(core, thread, message, { id: item })
  const body = { run: toRunId(thread, item), parts: [], retries: state.run.id }
  return { item, state: await deliver(core, toItem(core, thread, 'start', item, body)) }
}
