// A process of its own: how long after the model has sent the first piece of an answer `holdfast chat` shows it at a pseudo-terminal.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, print, round } from './figures.ts'

const MESSAGES = 15
const COMMAND = resolve('packages/cli/bin/holdfast.js')
const TERMINAL = resolve('test/pseudo-terminal.py')
const PAUSE_MS = 20
const PATIENCE_MS = 20_000

if (spawnSync('python3', ['--version']).status !== 0) throw new Error('python3 is needed: it makes the pseudo-terminal')

/** When the first piece of each answer was sent. */
const sent: number[] = []
const server = createServer((request, response) => {
  request.resume().on('end', () => void answer(response))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
try {
  writeFiles((server.address() as AddressInfo).port)
  const delays = await talk()
  const [first = Number.NaN, ...later] = delays
  print({
    measure: 'chat',
    messages: MESSAGES,
    ms: round(median(later), 2),
    worstMs: round(Math.max(...later), 2),
    firstMs: round(first, 2)
  })
} finally {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
}

/** A model on a wire: the beginning of its stream, and after a pause the first piece. */
async function answer(response: ServerResponse): Promise<void> {
  const send = (delta: object, finish: string | null = null): boolean =>
    response.write(`data: ${JSON.stringify({ id: 'a', model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send({ role: 'assistant', content: '' })
  await sleep(PAUSE_MS)
  const piece = `piece-${sent.length}. `
  sent.push(performance.now())
  send({ content: piece })
  await sleep(PAUSE_MS)
  send({ content: 'And the rest of it.' })
  send({}, 'stop')
  response.end('data: [DONE]\n\n')
}

function writeFiles(port: number): void {
  const provider = `providers: { wire: { driver: openai-compatible, baseURL: "http://127.0.0.1:${port}" } }`
  writeFileSync(join(folder, 'holdfast.config.yaml'), `version: "1.0"\n${provider}\nmodels: { main: { provider: wire, model: bench } }\n`)
  writeFileSync(join(folder, 'agent.yaml'), 'schemaVersion: "1.0"\nname: bench\nmodel: { ref: main }\n')
}

/** Types message after message; gives how many milliseconds passed from the sending of a piece to its showing. */
async function talk(): Promise<readonly number[]> {
  const env = { ...process.env, NODE_OPTIONS: '', TERM: 'xterm' }
  const terminal = spawn('python3', [TERMINAL, process.execPath, COMMAND, 'chat', 'agent.yaml'], { cwd: folder, env })
  let shown = ''
  let from = 0
  const looks = new Set<() => void>()
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    for (const look of looks) look()
  })
  /** Resolves with the time at which something is shown that was not when it was last waited for. */
  const until = (wanted: string): Promise<number> => {
    const { promise, resolve: found, reject } = Promise.withResolvers<number>()
    const late = setTimeout(() => reject(new Error(`the command did not show ${JSON.stringify(wanted)}:\n${shown}`)), PATIENCE_MS)
    const look = (): void => {
      const at = shown.indexOf(wanted, from)
      if (at < 0) return
      from = at + wanted.length
      clearTimeout(late)
      looks.delete(look)
      found(performance.now())
    }
    looks.add(look)
    look()
    return promise
  }
  const delays: number[] = []
  await until('> ')
  for (let message = 0; message < MESSAGES; message++) {
    terminal.stdin.write('go on\r')
    const at = await until(`piece-${message}.`)
    delays.push(at - (sent[message] ?? Number.NaN))
    await until('completed')
    await until('> ')
  }
  terminal.stdin.write('\u0004')
  await once(terminal, 'close')
  return delays
}
