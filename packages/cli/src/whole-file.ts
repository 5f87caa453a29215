import { open, rename, rm } from 'node:fs/promises'
import { Failure } from './failure.ts'

/** Writes a file, whole or not at all, for this user alone. One that is there is replaced. Throws `file_unreadable` where that cannot be. */
export async function writeWhole(
  path: string,
  lines: AsyncIterable<string> | Iterable<string | Uint8Array>
): Promise<{ readonly lines: number; readonly bytes: number }> {
  const draft = `${path}.${process.pid}.tmp`
  const written = { lines: 0, bytes: 0 }
  try {
    const file = await open(draft, 'w', 0o600).catch((cause: unknown) => {
      throw unwritable(path, cause)
    })
    try {
      for await (const line of lines) {
        const bytes = Buffer.from(line)
        await file.writeFile(bytes)
        written.lines += 1
        written.bytes += bytes.length
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path).catch((cause: unknown) => {
      throw unwritable(path, cause)
    })
    return written
  } finally {
    await rm(draft, { force: true })
  }
}

function unwritable(path: string, cause: unknown): Failure {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new Failure('file_unreadable', `${path} cannot be written: ${why}.`, {
    details: { path },
    remedy: 'Name another file with -o.',
    cause
  })
}
