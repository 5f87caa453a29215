import { defineTool } from '@holdfast/runtime'
import { z } from 'zod'

export const findOrder = defineTool({
  name: 'find_order',
  description: 'Looks one order up.',
  input: z.object({ order: z.string().describe('its number') }),
  effect: 'read',
  timeoutMs: 10_000,
  execute: async ({ order }, { signal }) => {
    const response = await fetch(`https://shop.example/orders/${encodeURIComponent(order)}`, { signal })
    // What a tool throws, the model reads; the run goes on.
    if (!response.ok) throw new Error(`There is no order ${order}.`)
    return await response.json()
  }
})

export const refund = defineTool({
  name: 'refund',
  description: 'Gives the money for an order back.',
  input: z.object({ order: z.string(), cents: z.number().int().positive() }),
  effect: 'idempotent',
  execute: async ({ order, cents }, { idempotencyKey, signal, progress }) => {
    progress(`refunding ${order}`)
    const response = await fetch('https://pay.example/refunds', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ order, cents }),
      signal
    })
    return { accepted: response.ok }
  }
})
