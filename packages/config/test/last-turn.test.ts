import { createRuntime, defineTool, memoryStore } from '@holdfast/runtime'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createModelResolver, NO_CONFIG } from '../src/index.ts'
import { at, listAt } from './strict/body-reader.ts'
import { startStrictProvider, STRICT_MODELS, toStrictConfig } from './strict/strict-provider.ts'
import type { Wire } from './strict/strict-rule.ts'

/** What a request says of the choice of tools, on each wire. */
const WIRES = [
  { wire: 'openai-chat', choice: ['tool_choice'], none: 'none' },
  { wire: 'openai-responses', choice: ['tool_choice'], none: 'none' },
  { wire: 'anthropic', choice: ['tool_choice', 'type'], none: 'none' },
  { wire: 'google', choice: ['toolConfig', 'functionCallingConfig', 'mode'], none: 'NONE' }
] as const satisfies readonly { readonly wire: Wire; readonly [key: string]: unknown }[]

describe.each(WIRES)('the last turn on $wire', ({ wire, choice, none }) => {
  // I7
  test('declares the tools of its history, allows none of them, and is taken', async () => {
    await using provider = await startStrictProvider(wire, (answers) =>
      answers < 2 ? { calls: [{ name: 'pay', arguments: { amount: answers } }] } : { text: 'paid twice' }
    )
    const config = { ...NO_CONFIG, providers: { p: toStrictConfig(wire, provider.url) } }
    const models = createModelResolver(config, { env: { KEY: 'k' }, baseDir: '.' })
    const model = { provider: 'p', model: STRICT_MODELS[wire], settings: { toolChoice: 'required' as const } }
    const pay = defineTool({ name: 'pay', description: 'Pays.', input: { type: 'object' }, execute: () => 'paid' })
    const runtime = createRuntime({ store: memoryStore(), tools: [pay], models })
    onTestFinished(() => runtime.close())
    const handle = await runtime.start({ name: 'payer', model, tools: ['pay'], limits: { maxTurns: 3 } }, { input: 'go' })
    expect(await handle.settled()).toMatchObject({ status: 'completed', text: 'paid twice' })
    expect(provider.refused).toEqual([])
    const bodies = provider.requests.map((request) => request.body)
    expect(bodies).toHaveLength(3)
    expect(bodies.map((body) => at(body, ...choice) === none)).toEqual([false, false, true])
    expect(listAt(bodies[2], 'tools')).toEqual(listAt(bodies[0], 'tools'))
  })
})
