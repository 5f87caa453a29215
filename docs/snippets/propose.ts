import assert from 'node:assert/strict'
import { createRuntime, defineAgent, scriptedModel, sqliteStore } from '@holdfast/runtime'
import { z } from 'zod'

const Proposal = z.object({ order: z.string().nullable(), cents: z.number().int(), why: z.string() })
const agent = defineAgent({
  name: 'refund-desk',
  model: { ref: 'main' },
  systemPrompt: 'Propose a refund, or nothing (order: null). You refund nothing yourself.',
  outputSchema: Proposal
})
const main = scriptedModel({
  turns: [
    { text: '{ "order": "4711", "cents": 1250, "why": "It came broken." }' },
    { when: 'done under', text: '{ "order": null, "cents": 0, "why": "It was refunded." }' }
  ]
})

/** In place of a person at a screen, who may take days: thread and proposal are in the store. */
const approves = async ({ cents }: z.infer<typeof Proposal>) => cents < 10_000
/** In place of the payment service, which absorbs a second request under the same key. */
const refund = async (order: string, options: { readonly idempotencyKey: string }) => `${order} ${options.idempotencyKey}`

await using store = await sqliteStore(process.argv[2] ?? './holdfast.db')
await using runtime = createRuntime({ store, models: { main } })

// Started again after a crash, at whatever line, this goes on where it was: key and id find what is there.
const thread = await runtime.start(agent, { input: 'My order 4711 came broken.', idempotencyKey: 'case-17' })
const { run, output } = await thread.settled()
const proposal = Proposal.parse(output)
if (proposal.order !== null) {
  const isApproved = await approves(proposal)
  if (isApproved) await refund(proposal.order, { idempotencyKey: run })
  const decision = isApproved ? `Approved, and done under ${run}.` : 'A person refused.'
  await thread.message(decision, { id: `decided:${run}` })
}
assert.equal(Proposal.parse((await thread.settled()).output).why, 'It was refunded.')
