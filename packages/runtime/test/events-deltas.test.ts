import { describe, expect, test } from 'vitest'
import type { HoldfastEvent } from '../src/contracts/event.ts'
import { createSecretRegistry } from '../src/secrets.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'
import { collect } from './events-kit.ts'
import {
  agentOf,
  factsOfType,
  latch,
  recordingModel,
  runThrough,
  runtimeFor,
  streamingModel,
  toolOf,
  until,
  within
} from './runtime-kit.ts'
import { finish, text } from './stream-parts.ts'

describe('a stream of events', () => {
  /** A thread whose model is asked at `watched`, says something, fails at `shown`, and is asked again and answers at `failed`. */
  async function twoTries() {
    const clock = fakeClock()
    const [watched, shown, failed] = [latch(), latch(), latch()]
    const model = streamingModel(async function* ({ request }) {
      yield text('t', `it is 1${request}`)
      if (request > 1) yield finish('stop')
      else await shown.opened
    })
    // Who watches from here on sees each try come.
    const asked: typeof model.doStream = async (request) => {
      await (model.prompts.length === 0 ? watched : failed).opened
      return model.doStream(request)
    }
    const handle = await runtimeFor({ ...model, doStream: asked }, { clock }).start(agentOf(), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'turn.started')).length > 0)
    const read = async (see: (event: HoldfastEvent) => Promise<void> | void): Promise<readonly string[]> => {
      const said: string[] = []
      for await (const event of handle.events()) {
        if (event.type === 'text.delta') said.push(`${event.try}:${event.text}`)
        if (event.type === 'try.reset' || event.type === 'model.failed') said.push(event.type)
        await see(event)
      }
      return said
    }
    return { handle, watched, shown, failed, read: (see: Parameters<typeof read>[0]) => runThrough(clock, read(see)) }
  }

  test('says that a try was for nothing before it shows the next', async () => {
    // B008
    const { watched, shown, failed, read } = await twoTries()
    const said = await read((event) => {
      if (event.type === 'turn.started') watched.open()
      if (event.type === 'text.delta') shown.open()
      if (event.type === 'model.failed') failed.open()
    })
    expect(said).toEqual(['1:it is 11', 'model.failed', 'try.reset', '2:it is 12'])
  })

  test('shows nothing of a try behind its end to who catches up', async () => {
    const { handle, watched, shown, failed, read } = await twoTries()
    shown.open()
    const said = await read((event) => {
      if (event.type === 'model.failed') failed.open()
      if (event.type !== 'run.started') return
      // The reader stands in the log at a place from which it reads the end of the try before it hears of what it said.
      watched.open()
      return until(async () => (await factsOfType(handle, 'model.failed')).length > 0)
    })
    expect(said).toContain('model.failed')
    expect(said).not.toContain('1:it is 11')
  })

  test('shows nothing of the progress of a call behind its end to who catches up', async () => {
    const gate = latch()
    const tool = toolOf('act', async (_, context) => {
      await gate.opened
      context.progress('halfway')
    })
    const model = recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'act' }] } : { text: 'done' }))
    const handle = await runtimeFor(model).start(agentOf({ tools: [tool] }), { input: 'go' })
    await until(async () => (await factsOfType(handle, 'call.started')).length > 0)
    const shown: string[] = []
    for await (const { type } of handle.events()) {
      shown.push(type)
      if (type !== 'run.started') continue
      gate.open()
      await until(async () => (await factsOfType(handle, 'call.settled')).length > 0)
    }
    expect(shown).toContain('call.settled')
    expect(shown).not.toContain('tool.progress')
  })

  test.each([
    { pieces: ['Hel', 'lo, ', 'world'], shown: 'Hello, world' },
    { pieces: ['It is sk-live-0123', '4567', '89abcdef.'], shown: 'It is [secret:key].' }
  ])('that begins in the middle of an answer has all of it: $shown', async ({ pieces, shown }) => {
    const [middle, watched, seen] = [latch(), latch(), latch()]
    const model = streamingModel(async function* () {
      for (const [index, piece] of pieces.entries()) {
        yield text('t', piece)
        if (index > 0) continue
        middle.open()
        await watched.opened
      }
      await seen.opened
      yield finish('stop')
    })
    const secrets = createSecretRegistry()
    secrets.add('key', 'sk-live-0123456789abcdef')
    const handle = await runtimeFor(model, { secrets }).start(agentOf(), { input: 'go' })
    await middle.opened
    await new Promise((resolve) => setImmediate(resolve))
    const see = ({ type }: HoldfastEvent): void => {
      if (type === 'turn.started') watched.open()
      if (type === 'text.delta') seen.open()
    }
    const events = await within(collect(handle, { see }))
    expect(events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('')).toBe(shown)
  })
})
