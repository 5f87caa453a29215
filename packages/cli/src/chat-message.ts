import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Part } from '@holdfast/runtime'
import type { Attachment } from './attachment.ts'
import { isImage, readAttachment } from './attachment.ts'

/** What a person typed: a command of the conversation, or a message. */
export type Typed =
  | { readonly kind: 'help' }
  | { readonly kind: 'end' }
  | { readonly kind: 'unknown'; readonly command: string }
  | { readonly kind: 'attach'; readonly paths: readonly string[] }
  | { readonly kind: 'message'; readonly text: string; readonly images: readonly string[]; readonly interrupts?: true }
  | { readonly kind: 'cancel'; readonly reason: string | undefined }

/** What is said about how to talk. */
export const CHAT_HELP: readonly string[] = [
  'A line is a message. A backslash at its end goes on in the next line; pasted lines stay together.',
  '/image PATH  adds an image (or a PDF, or a text) to the next message; so does its path in the message.',
  'While the agent works, a message waits for its next turn: the answer that is coming is finished, tools are not disturbed.',
  '/interrupt TEXT  does not wait: the answer that is coming is dropped, and the text is read at once.',
  '/cancel [WHY]  ends the run: the answer and the tools are aborted. The next message begins another one.',
  'At a terminal other words with a slash before them are not sent; with a space before the slash they are.',
  'Ctrl-D or /exit ends. Ctrl-C lets go of the thread, which goes on when it is resumed.'
]

/**
 * Reads what was typed. Where it was `byHand` paths of images in the text are found, as terminals insert them when a file is dropped: quoted or
 * with backslashes; and a command that there is not is a slip. In a text of somebody else a path is only a text, and a slash a slash.
 */
export function readTyped(text: string, options: { readonly cwd: string; readonly byHand: boolean }): Typed {
  const trimmed = text.trim()
  if (options.byHand && (trimmed === '/exit' || trimmed === '/quit')) return { kind: 'end' }
  // An interrupt without a text is not meant as a message.
  if (trimmed === '/help' || trimmed === '/interrupt') return { kind: 'help' }
  const cancel = /^\/cancel(?:\s+(.+))?$/s.exec(trimmed)
  if (cancel) return { kind: 'cancel', reason: cancel[1] }
  const interrupting = /^\/interrupt\s+(.+)$/s.exec(trimmed)?.[1]
  if (interrupting !== undefined) return { kind: 'message', text: interrupting, images: [], interrupts: true }
  const named = /^\/image\s+(.+)$/.exec(trimmed)?.[1]
  if (named !== undefined) return { kind: 'attach', paths: [resolve(options.cwd, toPath(named))] }
  const slip = options.byHand ? /^\/[a-z]+(?=\s|$)/i.exec(text)?.[0] : undefined
  if (slip !== undefined && !trimmed.includes('\n')) return { kind: 'unknown', command: slip }
  const words = options.byHand ? wordsOf(trimmed) : []
  const images = words.filter((word) => /\.(?:png|jpe?g|gif|webp)['"]?$/i.test(word)).map((word) => resolve(options.cwd, toPath(word)))
  const found = images.filter(hasImage)
  if (found.length > 0 && found.length === words.length) return { kind: 'attach', paths: found }
  return { kind: 'message', text, images: found }
}

/** The parts of a message: its text, and the files that belong to it. */
export async function toMessageParts(
  { text, images }: Extract<Typed, { kind: 'message' }>,
  attached: readonly Attachment[]
): Promise<readonly Part[]> {
  const known = new Set(attached.map(({ path }) => path))
  const more = await Promise.all(images.filter((path) => !known.has(path)).map(readAttachment))
  return [{ type: 'text', text }, ...[...attached, ...more].map(({ part }) => part)]
}

/** Words of a line as a shell would read them: quoted, or with a backslash before a space. */
function wordsOf(text: string): readonly string[] {
  return text.match(/'[^']+'|"[^"]+"|(?:\\.|[^\s\\])+/g) ?? []
}

function toPath(word: string): string {
  const quoted = /^(['"])(.*)\1$/.exec(word)?.[2]
  const path = quoted ?? word.replaceAll(/\\(.)/g, '$1')
  return path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path
}

function hasImage(path: string): boolean {
  const head = new Uint8Array(16)
  try {
    if (!statSync(path).isFile()) return false
    const file = openSync(path, 'r')
    try {
      readSync(file, head)
    } finally {
      closeSync(file)
    }
    return isImage(head)
  } catch {
    return false
  }
}
