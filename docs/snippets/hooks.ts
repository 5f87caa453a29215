import assert from 'node:assert/strict'
import type { Hook } from '@holdfast/runtime'
import { createRuntime, defineAgent, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'

const transfer = defineTool({
  name: 'transfer',
  description: 'Transfers money.',
  input: { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } }, required: ['to', 'amount'] },
  effect: 'once',
  execute: ({ to, amount }: { to: string; amount: number }) => ({ sent: amount, to, account: 'DE02 1203 0000 0000 2020 51' })
})

/** The host's: looks at every call of every thread. */
const ceiling: Hook = {
  name: 'ceiling',
  beforeToolCall: ({ tool, arguments: { amount } }) => {
    if (tool !== 'transfer' || typeof amount !== 'number') return null
    if (amount > 10_000) return { do: 'block', reason: 'Transfers above 10000 are not possible.' }
    return amount > 1_000 ? { do: 'requireApproval', expiresInMs: 86_400_000 } : null
  }
}

/** For agents that name it. */
const currency: Hook = {
  name: 'whole-amounts',
  beforeToolCall: ({ arguments: args }) =>
    typeof args['amount'] === 'number' ? { do: 'modify', arguments: { ...args, amount: Math.round(args['amount']) } } : null
}

/** No model reads an account number. */
const discreet: Hook = {
  name: 'discreet',
  afterToolCall: ({ result }) =>
    'value' in result && typeof result.value === 'object' && result.value !== null && 'account' in result.value
      ? { do: 'modify', result: { ...result.value, account: '(hidden)' } }
      : null
}

/** Nobody is promised anything. */
const sober: Hook = {
  name: 'sober',
  afterInference: ({ text }) => (/promise/i.test(text) ? { do: 'modify', text: text.replaceAll(/I promise[^.]*\.\s*/gi, '') } : null)
}

/** What the model cannot know. */
const calendar: Hook = {
  name: 'calendar',
  beforeInference: () => ({ do: 'modify', context: 'Today is a bank holiday.' })
}

/** No model reads a number that could be a card's. */
const cards: Hook = {
  name: 'cards',
  onMessage: ({ text }) => ({ do: 'modify', text: text.replaceAll(/\b\d{12,19}\b/g, '(a number)') })
}

await using runtime = createRuntime({
  store: memoryStore(),
  tools: [transfer],
  hooks: [ceiling, discreet, sober, calendar, cards],
  registeredHooks: [currency],
  models: {
    main: scriptedModel({
      turns: [
        { toolCalls: [{ name: 'transfer', arguments: { to: 'ann', amount: 1_999.6 } }] },
        { text: 'I promise that it arrives today. Sent.' }
      ]
    })
  }
})
const agent = defineAgent({ name: 'teller', model: { ref: 'main' }, tools: ['transfer'], hooks: ['whole-amounts'] })
const thread = await runtime.start(agent, { input: 'Pay Ann, her card is 4000123412341234.' })

const { waits } = await thread.settled()
assert.partialDeepStrictEqual(waits[0]?.subject, { arguments: { to: 'ann', amount: 2_000 }, asks: ['hook:ceiling'] })
await runtime.approve(waits[0]?.id ?? '')
assert.equal((await thread.settled()).text, 'Sent.')
const { request } = await thread.prompt(2)
assert.match(JSON.stringify(request.prompt), /"sent":2000,"to":"ann","account":"\(hidden\)"/)
assert.doesNotMatch(JSON.stringify(request.prompt), /4000/)
assert.deepEqual(request.prompt.at(-1), { role: 'user', content: [{ type: 'text', text: 'Today is a bank holiday.' }] })
