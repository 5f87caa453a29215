import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, linesOf, shell, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const NOISY = `
console.log('at import')
export const noisy = {
  name: 'noisy', description: 'Talks to itself.', effect: 'read', parallelSafe: true,
  input: { kind: 'json', jsonSchema: { type: 'object', properties: {} } },
  execute: async () => {
    console.log('from log', { deep: 1 })
    console.info('from info'); console.debug('from debug'); console.warn('from warn'); console.table([{ a: 1 }])
    process.stdout.write('from write\\n')
    await new Promise((resolve) => process.stdout.write(Buffer.from('from bytes\\n'), resolve))
    return 'done'
  }
}
`
const SAID = ['at import', 'from log { deep: 1 }', 'from info', 'from debug', 'from warn', 'from write', 'from bytes']

function noisyFolder(): string {
  const folder = folderWith(scriptedAgent([calling('noisy'), { text: 'the answer' }], { tools: ['noisy'] }))
  addFiles(folder, { 'tools.mjs': NOISY })
  return folder
}

// B114
describe('what code of the user writes', () => {
  test('does not stand in a document', async () => {
    const running = startHoldfast(noisyFolder(), ['run', 'agent.yaml', '--tools', 'tools.mjs', '--json'])
    expect(await running.ended).toBe(0)
    expect(JSON.parse(running.stdout())).toMatchObject({ status: 'completed', text: 'the answer' })
    for (const said of SAID) expect(running.stderr()).toContain(said)
  })

  test('does not stand between the lines of events', async () => {
    const running = startHoldfast(noisyFolder(), ['run', 'agent.yaml', '--tools', 'tools.mjs', '--jsonl'])
    expect(await running.ended).toBe(0)
    const events = running.stdout().trimEnd().split('\n')
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('call.settled')
    for (const said of SAID) expect(running.stderr()).toContain(said)
  })

  test('does not stand in the text of a result', async () => {
    const running = startHoldfast(noisyFolder(), ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    expect(await running.ended).toBe(0)
    expect(running.stdout()).toBe('the answer\n')
  })
})

// B114
describe.skipIf(!existsSync('/dev/full'))('standard output that cannot be written', () => {
  test('is told, and the run is kept', async () => {
    const folder = folderWith(scriptedAgent([calling('stamp'), { text: 'the answer' }], { tools: ['stamp'] }))
    const full = shell(folder, 'holdfast run agent.yaml --tools tools.mjs >/dev/full')
    expect(await full.ended).toBe(74)
    expect(full.stderr()).toMatch(/^error\[output_unwritable\]: .*ENOSPC/m)
    expect(linesOf(`${folder}/ledger.txt`)).toHaveLength(1)
    const shown = await holdfast(folder, ['show', threadOf(full.stderr()), '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ thread: { row: { status: 'completed' } } })
  })

  test('lets a thread go whose events nobody gets', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'never', delayMs: 60_000 }]))
    const full = shell(folder, 'holdfast run agent.yaml --jsonl >/dev/full')
    expect(await full.ended).toBe(74)
    expect(full.stderr()).toContain(`holdfast resume ${threadOf(full.stderr())}`)
  })

  test.for(['threads', 'threads --json', 'waits', 'usage', 'version', '--help', 'run --help', 'completion bash', 'doctor', 'config show'])(
    '`%s` fails',
    async (line) => {
      const folder = folderWith({ 'holdfast.config.yaml': 'version: "1.0"\n' })
      await holdfast(folder, ['threads'])
      const full = shell(folder, `holdfast ${line} >/dev/full`)
      expect(await full.ended).toBe(74)
      expect(full.stderr()).toContain('ENOSPC')
    }
  )
})
