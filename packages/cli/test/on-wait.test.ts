import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually, holdfast, linesOf, threadOf } from './command-kit.ts'
import { held, project, waitOf, waitsOf } from './waits-kit.ts'

const STAMP = { name: 'stamp', arguments: {} }
const SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`

interface Told {
  readonly type: string
  readonly data: { readonly wait: string; readonly kind: string; readonly subject: unknown }
}

const noting = (more = ''): object => ({ command: ['sh', '-c', `cat >> told.jsonl; ${more}`] })
/** What was told, by kind: waits that open at once are told of at once, and which program writes first is nobody's to say. */
const toldOf = (folder: string): readonly Told[] =>
  linesOf(join(folder, 'told.jsonl'))
    .map((line) => JSON.parse(line) as Told)
    .sort((a, b) => a.data.kind.localeCompare(b.data.kind))

describe('a command of onWait', () => {
  test('is told of each wait once, with what is held and no part of a shell', async () => {
    const folder = project([STAMP, { name: 'ask_user', arguments: { question: '$(touch evil) `touch evil`' } }], {
      config: { onWait: noting() }
    })
    await holdfast(folder, ['run', 'agent.yaml'], { env: { PATH: process.env['PATH'] ?? '' } })
    expect(toldOf(folder)).toMatchObject([
      { type: 'wait.opened', data: { kind: 'approval', wait: await waitOf(folder, 'stamp'), subject: { tool: 'stamp' } } },
      { type: 'wait.opened', data: { kind: 'question', subject: { question: '$(touch evil) `touch evil`' } } }
    ])
    // Driven again, nothing new waits.
    await holdfast(folder, ['resume', threadOf(await waitOf(folder, 'stamp'))], { env: { PATH: process.env['PATH'] ?? '' } })
    expect(toldOf(folder)).toHaveLength(2)
  })

  test('sees nothing of the environment but what it needs', async () => {
    const folder = project([STAMP], { config: { onWait: { command: ['sh', '-c', 'env > seen.txt'] } } })
    await holdfast(folder, ['run', 'agent.yaml'], {
      env: { PATH: process.env['PATH'] ?? '', OPENAI_API_KEY: 'sk-0123456789abcdef', TOKEN: 'x' }
    })
    const seen = linesOf(join(folder, 'seen.txt')).join('\n')
    expect(seen).toContain('PATH=')
    expect(seen).not.toMatch(/OPENAI_API_KEY|TOKEN/)
  })

  test.each([
    ['is not there', ['no-such-program-anywhere']],
    ['fails', ['sh', '-c', 'exit 7']],
    ['reads nothing', ['true']]
  ])('that %s changes nothing of the run', async (_, command) => {
    const folder = project([{ name: 'echo', arguments: { text: 'x'.repeat(70_000) } }], {
      config: { onWait: { command } },
      agent: { tools: [held('echo')] }
    })
    expect((await holdfast(folder, ['run', 'agent.yaml'], { env: { PATH: process.env['PATH'] ?? '' } })).code).toBe(3)
    expect(await waitsOf(folder)).toHaveLength(1)
  })

  test('that hangs holds nothing up, and is ended with the command', async () => {
    const folder = project([STAMP], { config: { onWait: noting('echo $$ > pid.txt; sleep 600') } })
    expect((await holdfast(folder, ['run', 'agent.yaml'], { env: { PATH: process.env['PATH'] ?? '' } })).code).toBe(3)
    const pid = Number(linesOf(join(folder, 'pid.txt'))[0])
    expect(pid).toBeGreaterThan(1)
    await eventually(() => !isAlive(pid))
  })
})

describe('a webhook of onWait', () => {
  interface Request {
    readonly headers: { readonly [name: string]: string }
    readonly body: string
  }

  async function receiver(answers: readonly number[]): Promise<{ readonly url: string; readonly requests: Request[] }> {
    const requests: Request[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      request.on('end', () => {
        response.statusCode = answers[requests.length] ?? 204
        requests.push({ headers: request.headers as Request['headers'], body })
        response.end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, requests }
  }

  test('is signed so that a receiver of others verifies it, and tried again as the same message', async () => {
    const { url, requests } = await receiver([503])
    const folder = project([STAMP], { config: { onWait: { webhook: url, secret: { env: 'HOOK_SECRET' } } } })
    const told = await holdfast(folder, ['run', 'agent.yaml'], { env: { HOOK_SECRET: SECRET } })
    expect(told.code).toBe(3)
    expect(requests).toHaveLength(2)
    expect(new Set(requests.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1)
    for (const { headers, body } of requests) {
      expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({ data: { wait: await waitOf(folder, 'stamp') } })
      expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow()
    }
    expect(JSON.stringify(requests) + told.stderr).not.toContain(SECRET)
  })

  test.each([
    ['is down', async () => 'http://127.0.0.1:9/hook', SECRET],
    ['refuses', async () => (await receiver([500, 500, 500])).url, SECRET],
    ['has no secret that can sign', async () => (await receiver([])).url, 'short']
  ])('that %s changes nothing of the run, and shows no secret', async (_, toUrl, secret) => {
    const folder = project([STAMP], { config: { onWait: { webhook: { env: 'HOOK' }, secret: { env: 'HOOK_SECRET' } } } })
    const url = await toUrl()
    const told = await holdfast(folder, ['run', 'agent.yaml'], { env: { HOOK_SECRET: secret, HOOK: url } })
    expect(told.code).toBe(3)
    expect(told.stderr).toMatch(/^warning: nobody was told/m)
    expect(told.stderr).not.toContain(url)
    if (secret === SECRET) expect(told.stderr).not.toContain(secret)
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
