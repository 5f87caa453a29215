// `npm run demo`: an agent works on real files, its process is killed in the middle with SIGKILL, and another process goes on.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findRepeats, readLedger } from './ledger.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const CLI = fileURLToPath(new URL('../../packages/cli/', import.meta.url))
const SOURCE = '--conditions=@holdfast/source'
const TOOLS = join(HERE, 'tools.ts')

// From the sources when this program runs from them (`node --conditions=…`), else as it was built.
const COMMAND = process.execArgv.includes(SOURCE) ? [SOURCE, join(CLI, 'src/main.ts')] : [join(CLI, 'bin/holdfast.js')]

/** With the key of a provider the agent runs on a real model. */
const MODELS = {
  OPENAI_API_KEY: 'openai/gpt-5-mini',
  ANTHROPIC_API_KEY: 'anthropic/claude-haiku-4-5',
  GOOGLE_GENERATIVE_AI_API_KEY: 'google/gemini-2.5-flash'
}

interface Ended {
  readonly code: number | null
  readonly killed: boolean
  readonly thread: string
}

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-'))
  try {
    for (const name of ['agent.yaml', 'script.yaml', 'orders.csv', 'invoices'])
      cpSync(join(HERE, name), join(folder, name), { recursive: true })
    return await play(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function play(folder: string): Promise<number> {
  const ledger = join(folder, 'ledger.jsonl')
  const model = modelOfKey()
  say(`An agent checks four invoices against their orders${model === undefined ? ' (scripted model, no key)' : ` (${model})`}.`)
  const first = await holdfast(folder, ['run', 'agent.yaml', '--tools', TOOLS, ...(model === undefined ? [] : ['--model', model])], {
    killWhen: () => readLedger(ledger).some(({ tool }) => tool === 'write_report')
  })
  if (!first.killed) {
    say(`The first process ended by itself with ${first.code}, before the report was written: there was nothing to kill.`)
    return 1
  }
  say('SIGKILL: the report is written, but the process died before it could note that. A new process goes on:')
  const second = await holdfast(folder, ['resume', first.thread], {})
  say('report.md')
  console.log(readFileSync(join(folder, 'report.md'), 'utf8').trimEnd())
  return judge(ledger, second)
}

function judge(path: string, { code }: Ended): number {
  const entries = readLedger(path)
  say('The ledger: what the tools really did, under the key of the call that asked for it')
  for (const { pid, tool, did, key } of entries) console.log(`  process ${pid}  ${tool.padEnd(14)} ${did.padEnd(14)} ${key}`)
  const repeats = findRepeats(entries)
  for (const key of repeats) console.log(`  REPEATED: ${key}`)
  const flags = entries.filter(({ tool }) => tool === 'flag_invoice').length
  say(
    repeats.length === 0
      ? `Nothing was done twice: ${entries.length} effects, ${entries.length} keys, ${flags} flag.`
      : 'Something was done twice.'
  )
  return repeats.length === 0 && code === 0 ? 0 : 1
}

/** Runs the real command as a process of its own, shows what it says, and kills it when it is time. */
function holdfast(folder: string, args: readonly string[], { killWhen }: { readonly killWhen?: () => boolean }): Promise<Ended> {
  const child = spawn(process.execPath, [...COMMAND, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...(killWhen === undefined ? {} : { INVOICES_PAUSE_MS: '10000' }) }
  })
  let told = ''
  let killed = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text
    process.stdout.write(text.replace(/^(?=.)/gm, '  '))
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => process.stdout.write(text.replace(/^(?=.)/gm, '  => ')))
  const watch = async (): Promise<void> => {
    while (child.exitCode === null && !killed) {
      if (killWhen?.() === true) killed = child.kill('SIGKILL')
      await sleep(20)
    }
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, killed, thread: /thr_\w+/.exec(told)?.[0] ?? '' }))
    watch().catch(reject)
  })
}

function modelOfKey(): string | undefined {
  return process.env['HOLDFAST_DEMO_MODEL'] ?? Object.entries(MODELS).find(([name]) => process.env[name])?.[1]
}

function say(text: string): void {
  console.log(`\n== ${text}`)
}

process.exitCode = await main()
