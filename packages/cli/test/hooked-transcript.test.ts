import type { Hook } from '@holdfast/runtime'
import { createRuntime, defineTool, memoryStore, scriptedModel } from '@holdfast/runtime'
import { expect, test } from 'vitest'
import { createEventRenderer } from '../src/render-event.ts'
import { readTranscript, renderEntry } from '../src/transcript.ts'

const hooks: readonly Hook[] = [
  {
    name: 'mask',
    onMessage: ({ text }) => ({ do: 'modify', text: text.replace('4711', '****') }),
    afterInference: ({ text }) => (text.includes('rude') ? { do: 'modify', text: 'polite' } : null),
    afterToolCall: () => ({ do: 'modify', result: 'hidden' })
  },
  { name: 'faq', beforeInference: ({ prompt }) => (JSON.stringify(prompt).includes('bye') ? { do: 'respond', text: 'Bye.' } : null) }
]

test('a thread is shown with what was said and what hooks left to be seen of it', async () => {
  const look = defineTool({ name: 'look', description: 'Looks.', input: { type: 'object' }, effect: 'read', execute: () => 'found' })
  const turns = [{ text: 'rude', toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'done' }]
  await using runtime = createRuntime({ store: memoryStore(), tools: [look], models: { main: scriptedModel({ turns }) }, hooks })
  const run = await runtime.start({ name: 'agent', model: { ref: 'main' }, tools: ['look'] }, { input: 'my card is 4711' })
  await run.settled()
  await run.message('bye')
  await run.settled()
  const entries = await readTranscript(run)
  expect(entries).toMatchObject([
    { role: 'message', text: 'my card is 4711', seen: 'my card is ****' },
    { role: 'agent', text: 'rude', seen: 'polite' },
    { role: 'call', tool: 'look', result: { value: 'found' }, seen: { value: 'hidden' } },
    { role: 'agent', text: 'done' },
    { role: 'message', text: 'bye' },
    { role: 'agent', text: 'Bye.' }
  ])
  for (const entry of entries.slice(0, 3))
    expect(renderEntry(entry)).toContain(entry.role === 'call' ? 'hidden' : String('seen' in entry && entry.seen))
  const render = createEventRenderer()
  const lines: string[] = []
  for await (const event of run.events()) lines.push(render(event) ?? '')
  for (const seen of ['****', 'polite', 'hidden', 'faq']) expect(lines.join('\n')).toContain(seen)
})
