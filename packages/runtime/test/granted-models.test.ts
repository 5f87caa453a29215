// Keeps I8: grants say which models may be asked, and nobody asks another one, whoever wakes the thread.
import { describe, expect, test } from 'vitest'
import type { GrantsInput } from '../src/contracts/grants.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { runtimeOf } from './approval-kit.ts'
import { refusalOf } from './refusal.ts'
import { agentOf, recordingModel, within } from './runtime-kit.ts'

const MODEL = { ref: 'main', fallbacks: [{ provider: 'acme', model: 'small' }] }

function opened(store = memoryStore()) {
  const model = recordingModel(() => ({ text: 'done' }))
  const models = { main: model, 'acme/small': model, 'other/big': model }
  return { store, model, runtime: (grants?: GrantsInput) => runtimeOf(store, { models, ...(grants === undefined ? {} : { grants }) }) }
}

describe('a model that is not granted', () => {
  test.each([
    ['by the host', { models: ['acme/small'] }, {}, {}, ['main']],
    ['by the start', {}, { models: [] }, {}, ['main', 'acme/small']],
    ['by the definition itself', {}, {}, { models: ['main'] }, ['acme/small']],
    ['by both together', { models: ['main'] }, { models: ['acme/small'] }, {}, ['main', 'acme/small']]
  ])('%s is not asked: nothing is made', async (_, host, start, own, models) => {
    const { store, model, runtime } = opened()
    const agent = agentOf({ model: MODEL, grants: own })
    const { details } = await refusalOf('model_not_granted', () => runtime(host).start(agent, { input: 'go', grants: start }))
    expect(details).toEqual({ models })
    expect(model.prompts).toEqual([])
    expect((await store.threads({ tenant: 'default' })).items).toEqual([])
  })

  test('ends the drive of a thread whose run goes on when it is granted again', async () => {
    const { store, model, runtime } = opened()
    const one = runtime()
    const { thread } = await one.start(agentOf({ model: MODEL }), { input: 'go' })
    await within(one.thread(thread).settled())
    await one.close()
    expect(model.prompts).toHaveLength(1)
    const narrow = opened(store).runtime({ models: ['main'] })
    await narrow.thread(thread).message('again')
    const { details } = await refusalOf('model_not_granted', () => within(narrow.thread(thread).settled()))
    expect(details).toEqual({ models: ['acme/small'] })
    await narrow.close()
    const again = opened(store)
    const last = again.runtime({ models: ['acme/small', 'main'] })
    await last.thread(thread).resume()
    expect(await within(last.thread(thread).settled())).toMatchObject({ status: 'completed' })
    expect(again.model.prompts).toHaveLength(1)
  })

  test('is not what a fork goes on with', async () => {
    const { runtime } = opened()
    const host = runtime({ models: ['main', 'acme/small'] })
    const run = await host.start(agentOf({ model: MODEL }), { input: 'go' })
    await within(run.settled())
    const change = { model: { provider: 'other', model: 'big' } }
    const { details } = await refusalOf('model_not_granted', () => host.fork(run.thread, { change }))
    expect(details).toEqual({ models: ['other/big'] })
  })
})
