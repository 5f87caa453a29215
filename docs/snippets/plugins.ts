import assert from 'node:assert/strict'
import { createRuntime, defineAgent, definePlugin, defineState, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'

/** What the plugin keeps in each thread. */
const spent = defineState('spent', { schema: { type: 'number', minimum: 0 }, initial: 0 })
const calls = defineState('calls', { schema: { type: 'integer' }, initial: 0 })

const purse = definePlugin({
  name: 'purse',
  options: { type: 'object', properties: { limit: { type: 'number' } }, required: ['limit'], additionalProperties: false },
  bounds: { tools: ['pay'], hooks: ['beforeToolCall'], context: ['request'], permissions: ['ask'], state: ['spent', 'calls'] },
  create: ({ limit }) => ({
    state: [spent, calls],
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays somebody.',
        input: { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } }, required: ['to', 'amount'] },
        effect: 'once',
        // One after the other: each sees what those before it have spent.
        parallelSafe: false,
        execute: ({ to, amount }, { state }) => {
          const sum = state.get(spent) + Number(amount)
          if (sum > Number(limit)) throw new Error(`Not paid: not more than ${limit} in all.`)
          state.set(spent, sum)
          return `paid ${amount} to ${to}`
        }
      })
    ],
    hooks: [
      {
        name: 'at-most',
        beforeToolCall: ({ again }, { state }) => {
          if (again) return null
          if (state.get(calls) >= 20) return { do: 'block', reason: 'Not more than 20 calls of tools.' }
          state.set(calls, state.get(calls) + 1)
          return null
        }
      }
    ],
    permissions: [{ effect: 'ask', tool: 'plugin:purse/pay', when: { path: 'amount', gt: 500 } }],
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
assert.deepEqual(await run.pluginState(), { purse: { spent: 40, calls: 2 } })
assert.match(JSON.stringify((await run.prompt(2)).request.prompt), /Spent so far: 40/)
