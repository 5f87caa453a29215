import { open } from 'node:fs/promises'

/** The bytes of a file, also of a pipe or a device, or undefined when it has more than `maxBytes`: no more than that is ever held. Throws what opening does. */
export async function readBounded(path: string, maxBytes: number): Promise<Buffer | undefined> {
  await using file = await open(path)
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > maxBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
