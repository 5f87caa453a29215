// Below the fold: what evolves and plans is given inline bodies alone. A body is put before the commit that names it (put-then-commit), so that a
// crash between them leaves bytes that nobody names, which are collected.
import type { ArtifactStore } from '../contracts/artifact.ts'
import { corruptArtifact } from '../contracts/artifact-fault.ts'
import { HoldfastError, isHoldfastError } from '../contracts/errors.ts'
import type { Commit } from '../contracts/fact.ts'
import { artifactsOf, bodiesOf, hasBody, replaceBodies } from '../contracts/fact-bodies.ts'
import type { Digest } from '../contracts/ids.ts'
import type { Body } from '../contracts/message.ts'
import type { AppendRequest } from '../contracts/store.ts'
import { fromBodyBytes, toBodyBytes } from '../util/body-bytes.ts'
import { mayWeighMore } from './body-weight.ts'
import { toPreview } from './preview.ts'

/** A body of more bytes of JSON than this is kept as an artifact. */
export const SPILL_BYTES = 65_536

/** What a fact holds of an artifact at most: its digest, and a preview of which JSON may write every unit with six bytes. */
const REFERENCE_BYTES = 1_500

/** How much of a body stays in its commit, of so many bytes of JSON. */
export function toKeptBytes(bytes: number): number {
  return bytes > SPILL_BYTES ? REFERENCE_BYTES : bytes
}

type SpilledBody = Extract<Body, { readonly artifact: Digest }>

/** Whether a commit names artifacts in place of its bodies. */
export function isSpilled({ facts }: Pick<Commit, 'facts'>): boolean {
  return hasBody(facts, isArtifact)
}

/** Whether an append holds a body that may be too large for a commit. Costs next to nothing where none is. */
export function mayHaveLargeBody({ facts }: Pick<AppendRequest, 'facts'>): boolean {
  return hasBody(facts, isPerhapsLarge)
}

/**
 * The same append, or facts, with large bodies as artifacts, which are kept when this resolves. The same facts give the same append, so that a repeat is
 * known as one. Throws what `put` throws.
 */
export async function spillBodies<Given extends Pick<AppendRequest, 'tenant' | 'facts' | 'artifacts'>>(
  request: Given,
  artifacts: ArtifactStore
): Promise<Given> {
  const spilled = new Map<Body, Body>()
  for (const body of request.facts.flatMap(bodiesOf)) {
    const text = 'inline' in body && mayWeighMore(body.inline, SPILL_BYTES) ? JSON.stringify(body.inline) : ''
    const bytes = toBodyBytes(text)
    if (!('inline' in body) || bytes.length <= SPILL_BYTES) continue
    const artifact = await artifacts.put(request.tenant, bytes)
    spilled.set(body, { artifact, bytes: bytes.length, preview: toPreview(body.inline, text) })
  }
  if (spilled.size === 0) return request
  const facts = request.facts.map((fact) => replaceBodies(fact, spilled))
  return { ...request, facts, artifacts: [...new Set([...request.artifacts, ...artifactsOf(facts)])] }
}

/** What reads the bodies of a tenant. */
export type ReadArtifact = (digest: Digest) => Promise<Uint8Array>

/**
 * The same commit with all its bodies inline. Throws `artifact_missing` and `artifact_corrupt` (details: `digest`, `thread`, `sequence`), and
 * what the store of artifacts throws.
 */
export async function loadBodies(commit: Commit, read: ReadArtifact): Promise<Commit> {
  const loaded = new Map<Body, Body>()
  for (const body of commit.facts.flatMap(bodiesOf)) {
    if ('artifact' in body) loaded.set(body, { inline: await loadBody(body, read).catch((error: unknown) => fail(error, commit)) })
  }
  return { ...commit, facts: commit.facts.map((fact) => replaceBodies(fact, loaded)) }
}

/**
 * A page of whole commits, up to about as many bytes of their large bodies and at least one: what a page of the store brings may weigh a thousand
 * times as much when it is whole.
 */
export async function loadPage(page: readonly Commit[], limitBytes: number, artifacts: ArtifactStore): Promise<readonly Commit[]> {
  if (!page.some(isSpilled)) return page
  const whole: Commit[] = []
  let bytes = 0
  for (const commit of page) {
    if (whole.length > 0 && bytes >= limitBytes) break
    bytes += spilledBytes(commit)
    whole.push(isSpilled(commit) ? await loadBodies(commit, (digest) => artifacts.get(commit.tenant, digest)) : commit)
  }
  return whole
}

function spilledBytes({ facts }: Commit): number {
  return facts.flatMap(bodiesOf).reduce((sum, body) => sum + ('artifact' in body ? body.bytes : 0), 0)
}

function isArtifact(body: Body): boolean {
  return 'artifact' in body
}

function isPerhapsLarge(body: Body): boolean {
  return 'inline' in body && mayWeighMore(body.inline, SPILL_BYTES)
}

async function loadBody({ artifact, bytes }: SpilledBody, read: ReadArtifact) {
  const found = await read(artifact)
  if (found.length !== bytes) throw corruptArtifact(artifact)
  try {
    return fromBodyBytes(found)
  } catch {
    throw corruptArtifact(artifact)
  }
}

function fail(error: unknown, { thread, sequence }: Pick<Commit, 'thread' | 'sequence'>): never {
  if (!isHoldfastError(error, 'artifact_missing') && !isHoldfastError(error, 'artifact_corrupt')) throw error
  throw new HoldfastError(error.code, `Commit ${sequence} of thread ${thread} cannot be read. ${error.message}`, {
    details: { ...error.details, thread, sequence },
    cause: error
  })
}
