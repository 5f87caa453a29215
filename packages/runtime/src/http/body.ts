import type { Readable } from 'node:stream'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { isHoldfastError } from '../contracts/errors.ts'
import type { LargePart, Place } from './failure.ts'
import { toBroken, toTooLarge } from './failure.ts'
import type { HttpLimits } from './limits.ts'

/** What a body is read with. */
export interface BodyOptions {
  /** The header field `content-encoding`. */
  readonly encoding: string
  readonly limits: HttpLimits
  readonly signal: AbortSignal
  readonly place: Place
}

/** Below this a body may be as regular as it likes. */
const EXPANSION_FREE_BYTES = 1024 * 1024
/** More than two encodings are an attack and nothing else. */
const MAX_ENCODINGS = 2

const DECODERS: { readonly [encoding: string]: () => Transform } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress
}

/** A whole body, decoded. Every stage is counted while it streams, so that no more is read or expanded than the limits say. */
export async function readBody(source: Readable, options: BodyOptions): Promise<Uint8Array> {
  const { place, signal } = options
  const decoders = toDecoders(options.encoding, place)
  const sent = { bytes: 0 }
  const stages = decoders.flatMap((decode) => [decode(), gauge('body', sent, options)])
  const parts: Buffer[] = []
  try {
    await pipeline([source, gauge('encoded', sent, options), ...stages, collectInto(parts)], { signal })
    return Buffer.concat(parts)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    // Many servers name an encoding also for nothing at all, which a decoder takes for a body that was cut.
    if (sent.bytes === 0 && source.readableEnded) return new Uint8Array()
    throw isHoldfastError(error) ? error : toBroken('encoding', place, error)
  }
}

function toDecoders(encoding: string, place: Place): readonly (() => Transform)[] {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  const decoders = names.flatMap((name) => (Object.hasOwn(DECODERS, name) ? (DECODERS[name] ?? []) : []))
  if (decoders.length !== names.length || names.length > MAX_ENCODINGS) throw toBroken('encoding', place)
  // Named in the order in which they were applied.
  return decoders.reverse()
}

function gauge(part: LargePart, sent: { bytes: number }, { limits, place }: BodyOptions): Transform {
  let bytes = 0
  const faultOf = (): Error | null => {
    if (bytes > limits.maxBodyBytes) return toTooLarge(part, limits.maxBodyBytes, place)
    const isHonest = bytes <= EXPANSION_FREE_BYTES || bytes <= sent.bytes * limits.maxExpansion
    return isHonest ? null : toTooLarge('ratio', limits.maxExpansion, place)
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length
      if (part === 'encoded') sent.bytes = bytes
      next(faultOf(), chunk)
    }
  })
}

function collectInto(parts: Buffer[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, next) {
      parts.push(chunk)
      next()
    }
  })
}
