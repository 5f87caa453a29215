// Tools that work on the files of the folder in which the command was started. Each notes in a ledger what it did, under its call's key.
import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@holdfast/runtime'
import { z } from 'zod'
import { noteInLedger, readLedger } from './ledger.ts'

const LEDGER = 'ledger.jsonl'

export const listInvoices = defineTool({
  name: 'list_invoices',
  description: 'Lists the files of all invoices.',
  input: z.object({}),
  effect: 'read',
  execute: (_, { idempotencyKey: key }) => {
    const files = readdirSync('invoices').toSorted()
    noteInLedger(LEDGER, { key, tool: 'list_invoices', did: `${files.length} files` })
    return files
  }
})

export const readInvoice = defineTool({
  name: 'read_invoice',
  description: 'Reads one invoice.',
  input: z.object({ file: z.string().describe('a name that list_invoices gave') }),
  effect: 'read',
  execute: ({ file }, { idempotencyKey: key }) => {
    const text = readFileSync(`invoices/${basename(file)}`, 'utf8')
    noteInLedger(LEDGER, { key, tool: 'read_invoice', did: basename(file) })
    return JSON.parse(text)
  }
})

export const readOrders = defineTool({
  name: 'read_orders',
  description: 'Reads all orders as CSV.',
  input: z.object({}),
  effect: 'read',
  execute: (_, { idempotencyKey: key }) => {
    noteInLedger(LEDGER, { key, tool: 'read_orders', did: 'orders.csv' })
    return readFileSync('orders.csv', 'utf8')
  }
})

export const flagInvoice = defineTool({
  name: 'flag_invoice',
  description: 'Tells accounting that an invoice is wrong. Every flag makes somebody call the customer.',
  input: z.object({ invoice: z.string(), reason: z.string() }),
  // Nobody absorbs a second flag, so it is never started a second time.
  effect: 'once',
  execute: ({ invoice, reason }, { idempotencyKey: key }) => {
    appendFileSync('flags.csv', `${invoice},${JSON.stringify(reason)}\n`)
    noteInLedger(LEDGER, { key, tool: 'flag_invoice', did: invoice })
    return `${invoice} is flagged.`
  }
})

export const writeReport = defineTool({
  name: 'write_report',
  description: 'Writes the report.',
  input: z.object({ text: z.string().describe('Markdown') }),
  // It may be started again after a crash, under the same key: then it finds that the work is done.
  effect: 'idempotent',
  execute: async ({ text }, { idempotencyKey: key }) => {
    if (readLedger(LEDGER).some((entry) => entry.key === key)) return 'The report stands in report.md (it was written before).'
    writeFileSync('report.md.draft', text)
    renameSync('report.md.draft', 'report.md')
    noteInLedger(LEDGER, { key, tool: 'write_report', did: 'report.md' })
    // The demo kills the process here: the report is written, and nobody has heard of it yet.
    await sleep(Number(process.env['INVOICES_PAUSE_MS'] ?? 0))
    return 'The report stands in report.md.'
  }
})
