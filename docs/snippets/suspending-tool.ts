import { defineTool, suspend } from '@holdfast/runtime'
import { z } from 'zod'

const Scan = z.object({ url: z.string() })

export const scanPaper = defineTool({
  name: 'scan_paper',
  description: 'Has a sheet of paper scanned, and gives the address of the picture.',
  input: z.object({ sheet: z.string() }),
  effect: 'once',
  execute: async ({ sheet }, { resumed, idempotencyKey }) => {
    if (resumed) return Scan.parse(resumed.answer)
    await fetch('https://office.example/scans', { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, body: sheet })
    return suspend({
      wait: {
        kind: 'external',
        subject: { sheet },
        schema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
        expiresInMs: 3 * 24 * 3_600_000
      },
      state: { sheet }
    })
  }
})
