import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecretReference, WaitNotice } from '@holdfast/config'
import type { GuardedFetch } from '@holdfast/runtime/tools'
import type { Environment } from './env-file.ts'
import { loadTools } from './libraries.ts'
import type { Notice, NoticeOptions, WaitMessage } from './wait-notice.ts'

const TIMEOUT_MS = 5_000
/** Before each try again. */
const PAUSES_MS = [250, 1_000]

/** Sends each wait to a URL, signed as Standard Webhooks say when there is a secret: the same message under the same id at every try. */
export function createWebhookNotice({ webhook, secret }: Extract<WaitNotice, { webhook: unknown }>, { env }: NoticeOptions): Notice {
  const over = new AbortController()
  return {
    async tell(message) {
      const url = typeof webhook === 'string' ? webhook : readVariable(webhook, env)
      const key = secret === undefined ? undefined : toKey(readVariable(secret, env))
      const fetch = await createFetch(url)
      await insist(() => send(fetch, url, { message, key, signal: over.signal }), over.signal)
    },
    [Symbol.dispose]: () => over.abort()
  }
}

/** The headers of a message: what it is known by, when it is sent, and who can only have sent it. */
export function toWebhookHeaders(
  id: string,
  body: string,
  options: { readonly key: Buffer | undefined; readonly now: number }
): { readonly [name: string]: string } {
  const timestamp = String(Math.floor(options.now / 1000))
  const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (options.key === undefined) return headers
  const signature = createHmac('sha256', options.key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...headers, 'webhook-signature': `v1,${signature}` }
}

/** The place that the configuration names, and no other, also behind a redirect. It may be of this machine: whoever wrote it down meant it. */
async function createFetch(url: string): Promise<GuardedFetch> {
  const { createGuardedFetch } = await loadTools()
  const { hostname = '', port, protocol } = URL.parse(url) ?? {}
  const place = `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`
  return createGuardedFetch({ network: { hosts: [place], private: true }, limits: { totalTimeoutMs: TIMEOUT_MS, maxBodyBytes: 65_536 } })
}

interface Sending {
  readonly message: WaitMessage
  readonly key: Buffer | undefined
  readonly signal: AbortSignal
}

/** Whether it arrived; what will not arrive at another try either throws. */
async function send(fetch: GuardedFetch, url: string, { message, key, signal }: Sending): Promise<void> {
  const body = JSON.stringify(message)
  // The id says which message it is; that of a wait has what some receivers do not take.
  const id = `msg_${Buffer.from(message.data.wait).toString('base64url')}`
  const headers = toWebhookHeaders(id, body, { key, now: Date.now() })
  const { status } = await fetch({ url, method: 'POST', headers, body, signal })
  if (status < 200 || status > 299) throw new Error(`the webhook of onWait answered ${status}`)
}

async function insist(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted) throw error
      await sleep(pauseMs, undefined, { signal })
    }
  }
  await work()
}

function readVariable({ env: name }: SecretReference, env: Environment): string {
  const value = env[name]?.trim() ?? ''
  if (value === '') throw new Error(`the variable ${name} of onWait is not set`)
  return value
}

/** `whsec_` and base64, or base64 alone. What is neither would sign what nobody can verify. */
function toKey(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, '')
  const key = Buffer.from(text, 'base64')
  if (key.length >= 16 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)) return key
  throw new Error('the secret of onWait is none: expected whsec_ and at least 16 bytes as base64')
}
