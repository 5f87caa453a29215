// A process of its own: what it takes to read and check an agent's file of 2,000 lines, once everything is loaded.
import { parseAgentManifest } from '@holdfast/runtime'
import { median, print, round } from './figures.ts'
import { words } from './model.ts'

const LINES = 2_000
const WARM_UPS = 5
const REPEATS = 25

const text = agentFile()
const lines = text.split('\n').length - 1
if (lines !== LINES) throw new Error(`expected a file of ${LINES} lines, made one of ${lines}`)

const since = performance.now()
await check()
const firstMs = performance.now() - since
for (let round = 0; round < WARM_UPS; round++) await check()
const times: number[] = []
for (let repeat = 0; repeat < REPEATS; repeat++) times.push(await check())
print({
  measure: 'agent',
  lines,
  kib: round(text.length / 1024),
  ms: round(median(times), 2),
  worstMs: round(Math.max(...times), 2),
  firstMs: round(firstMs)
})

async function check(): Promise<number> {
  const begin = performance.now()
  const { definition } = await parseAgentManifest(text, 'agent.yaml')
  const durationMs = performance.now() - begin
  if (definition.variables?.length !== 200 || definition.tools?.length !== 100) throw new Error('the file was not read whole')
  return durationMs
}

/** Variables, tools, a schema, and prompts of many lines with places to fill in. */
function agentFile(): string {
  const head = ['schemaVersion: "1.0"', 'name: bench', 'model: { ref: main }', '# What it knows from the start.', 'variables:']
  const variables = Array.from({ length: 200 }, (_, index) => [
    `  - key: variable_${index}`,
    `    type: ${index % 2 === 0 ? 'string' : 'array'}`,
    `    description: ${words(index, 60)}`,
    index % 2 === 0 ? `    value: "${words(index, 40)}"` : `    value: [1, two, { three: 3 }]`
  ]).flat()
  const tools = ['tools:', ...Array.from({ length: 100 }, (_, index) => [`  - ref: tool_${index}`, '    timeoutMs: 5000']).flat()]
  const schema = [
    ...['outputSchema:', '  type: object', '  properties:'],
    ...Array.from({ length: 50 }, (_, index) => [
      `    field_${index}:`,
      '      type: array',
      '      items: { type: string }',
      '      maxItems: 10'
    ]).flat()
  ]
  const before = [...head, ...variables, ...tools, ...schema, 'systemPrompt: |']
  const prompt = Array.from({ length: LINES - before.length }, (_, index) =>
    index % 5 === 0 ? `  ${words(index, 60)} {{ variable_${index % 200} }}` : `  ${words(index, 80)}`
  )
  return [...before, ...prompt, ''].join('\n')
}
