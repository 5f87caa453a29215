import assert from 'node:assert/strict'
import { createRuntime, defineAgent, definePlugin, defineState, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'

/** What the plugin keeps in each thread. */
const spent = defineState('spent', { schema: { type: 'number', minimum: 0 }, initial: 0 })

const purse = definePlugin({
  name: 'purse',
  options: { type: 'object', properties: { limit: { type: 'number' } }, required: ['limit'], additionalProperties: false },
  bounds: { tools: ['pay'], hooks: ['beforeToolCall'], context: ['request'], permissions: ['ask'], state: ['spent'] },
  create: ({ limit }) => ({
    state: [spent],
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays somebody.',
        input: { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } }, required: ['to', 'amount'] },
        effect: 'once',
        parallelSafe: false,
        execute: ({ to, amount }, { state }) => {
          state.set(spent, state.get(spent) + Number(amount))
          return `paid ${amount} to ${to}`
        }
      })
    ],
    hooks: [
      {
        name: 'limit',
        beforeToolCall: ({ identity, arguments: { amount } }, { state }) =>
          identity === 'plugin:purse/pay' && state.get(spent) + Number(amount) > Number(limit)
            ? { do: 'block', reason: `Not more than ${limit} in all.` }
            : null
      }
    ],
    permissions: [{ effect: 'ask', tool: 'plugin:purse/pay', when: { path: 'amount', gt: 50 } }],
    context: { request: 'Spent so far: {{ state.spent }}' }
  })
})

await using runtime = createRuntime({
  store: memoryStore(),
  plugins: [purse],
  models: {
    main: scriptedModel({
      turns: [
        { toolCalls: [{ name: 'pay', arguments: { to: 'ann', amount: 40 } }] },
        { toolCalls: [{ name: 'pay', arguments: { to: 'ben', amount: 70 } }] },
        { text: 'Ann has hers; Ben does not.' }
      ]
    })
  }
})
const agent = defineAgent({ name: 'buyer', model: { ref: 'main' }, plugins: [{ name: 'purse', options: { limit: 100 } }] })
const run = await runtime.start(agent, { input: 'Pay Ann and Ben.' })

assert.equal((await run.settled()).text, 'Ann has hers; Ben does not.')
assert.deepEqual(await run.pluginState(), { purse: { spent: 40 } })
assert.match(JSON.stringify((await run.prompt(2)).request.prompt), /Spent so far: 40/)
