import { defineTool } from '@holdfast/runtime'
import { describe, expect, test } from 'vitest'
import { at, listAt } from './strict/body-reader.ts'
import type { StrictAnswer } from './strict/strict-answers.ts'
import { startStrictRuntime } from './strict/strict-runtime.ts'
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
    const pay = defineTool({ name: 'pay', description: 'Pays.', input: { type: 'object' }, execute: () => 'paid' })
    const paidTwice = (answers: number): StrictAnswer =>
      answers < 2 ? { calls: [{ name: 'pay', arguments: { amount: answers } }] } : { text: 'paid twice' }
    const { provider, runtime, model: own } = await startStrictRuntime(wire, paidTwice, [pay])
    const model = { ...own, settings: { toolChoice: 'required' as const } }
    const handle = await runtime.start({ name: 'payer', model, tools: ['pay'], limits: { maxTurns: 3 } }, { input: 'go' })
    expect(await handle.settled()).toMatchObject({ status: 'completed', text: 'paid twice' })
    expect(provider.refused).toEqual([])
    const bodies = provider.requests.map((request) => request.body)
    expect(bodies).toHaveLength(3)
    expect(bodies.map((body) => at(body, ...choice) === none)).toEqual([false, false, true])
    expect(listAt(bodies[2], 'tools')).toEqual(listAt(bodies[0], 'tools'))
  })
})
