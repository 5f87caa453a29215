import { createHash } from 'node:crypto'

/** What the fake of Google signs a call with: of another call it is another one. */
export function signatureOf(name: string, args: unknown): string {
  return createHash('sha256')
    .update(`${name}${JSON.stringify(args)}`)
    .digest('base64')
}
