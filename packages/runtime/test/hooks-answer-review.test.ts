import { describe, expect, test } from 'vitest'
import { pay, runtimeOf } from './approval-kit.ts'
import { after, asked, asking, say } from './answer-hook-kit.ts'
import { agentOf, latch, recordingModel, within } from './runtime-kit.ts'

describe('an answer that hooks are to look at', () => {
  const atReview = async (run: Awaited<ReturnType<typeof asked>>['run']): Promise<number> => {
    const commits = await run.log(1, 8_000_000)
    return commits.find(({ facts }) => facts.some((fact) => fact.type === 'model.responded'))?.sequence ?? 0
  }

  test('waits for the next owner, who asks again, when this one goes', async () => {
    const looked = latch()
    const hang = after('tone', () => {
      looked.open()
      return new Promise(() => {})
    })
    const first = await asking({ hooks: [hang] })
    await within(looked.opened)
    await first.runtime.close({ graceMs: 0 })
    const model = recordingModel(() => ({ text: 'done' }))
    const options = { tools: [pay(first.ledger, { approval: false })], models: { main: model }, hooks: [after('tone', say('fine'))] }
    const handle = runtimeOf(first.store, options).thread(first.run.thread)
    await handle.resume()
    expect(await within(handle.settled())).toMatchObject({ status: 'completed', text: 'fine' })
    expect(first.ledger.ran).toHaveLength(1)
    expect(first.model.prompts).toHaveLength(1)
    expect((await handle.verify()).problems).toEqual([])
  })

  test('keeps a message waiting, also one that interrupts', async () => {
    const looked = latch()
    const go = latch()
    const slow = after('slow', async () => {
      looked.open()
      await go.opened
      return null
    })
    const { run, model } = await asking({ hooks: [slow], answers: [{ text: 'one' }, { text: 'two' }] })
    await within(looked.opened)
    await run.message('wait', { interrupt: true })
    go.open()
    expect(await within(run.settled())).toMatchObject({ text: 'two' })
    expect(model.prompts[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  // I5
  test('goes with a fork, whose own hooks look; what the other thread has run of it is not run again', async () => {
    const { run, runtime, ledger, model } = await asked({ hooks: [after('tone', ({ text }) => ({ do: 'modify', text: `[${text}]` }))] })
    const fork = await runtime.fork(run.thread, { at: await atReview(run) })
    expect(await within(fork.settled())).toMatchObject({ status: 'completed', text: '[done]' })
    expect(ledger.ran).toHaveLength(1)
    expect(model.prompts.at(-1)?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect((await fork.verify()).problems).toEqual([])
  })

  test('is withheld in a fork that goes on as another agent', async () => {
    const { run, runtime, model } = await asked({ hooks: [after('tone', say('fine'))] })
    const { digest: publication } = await runtime.publish(agentOf({ name: 'other', tools: ['pay'] }))
    const asks = model.prompts.length
    const fork = await runtime.fork(run.thread, { at: await atReview(run), change: { publication } })
    expect((await within(fork.settled())).status).toBe('completed')
    expect(model.prompts[asks]?.map(({ role }) => role)).toEqual(['user'])
  })

  test('takes one commit more, and without hooks none', async () => {
    const plain = await asked({ hooks: [] })
    const hooked = await asked({ hooks: [after('look', () => null)] })
    const lengthOf = async ({ run }: typeof plain) => (await run.log(1, 8_000_000)).length
    expect(await lengthOf(hooked)).toBe((await lengthOf(plain)) + 2)
    expect(hooked.facts.filter(({ type }) => type !== 'turn.reviewed').map(({ type }) => type)).toEqual(plain.facts.map(({ type }) => type))
  })
})
