import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool } from '@holdfast/runtime'
import { z } from 'zod'

const folder = import.meta.dirname
const Orders = z.record(z.string(), z.object({ item: z.string(), price: z.number(), delivered: z.string().nullable() }))

async function readOrder(order: string) {
  const orders = Orders.parse(JSON.parse(await readFile(join(folder, 'orders.json'), 'utf8')))
  const found = orders[order]
  // What a tool throws, the model reads.
  if (!found) throw new Error(`There is no order ${order}.`)
  return found
}

export const findOrder = defineTool({
  name: 'find_order',
  description: 'Looks one order up.',
  input: z.object({ order: z.string().describe('its number') }),
  // Changes nothing: it may run again after a crash.
  effect: 'read',
  execute: ({ order }) => readOrder(order)
})

export const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Gives a customer the money for an order back.',
  input: z.object({ order: z.string(), reason: z.string() }),
  // Never started a second time, not even after a crash. A payment service that knows the key of a call allows `idempotent`.
  effect: 'once',
  execute: async ({ order, reason }, { idempotencyKey }) => {
    const { price } = await readOrder(order)
    await appendFile(join(folder, 'refunds.csv'), `${idempotencyKey},${order},${price},${JSON.stringify(reason)}\n`)
    return `Refunded $${price.toFixed(2)}.`
  }
})
