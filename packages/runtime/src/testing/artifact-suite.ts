import assert from 'node:assert/strict'
import type { ArtifactStore } from '../contracts/artifact.ts'
import type { Digest } from '../contracts/ids.ts'
import { digestBytes } from '../util/canonical.ts'
import type { FakeClock } from './fake-clock.ts'
import { createFaults, createRota } from './fault-plan.ts'
import { faultyArtifacts, repeatingArtifacts } from './faulty-artifacts.ts'
import { assertCode } from './store-kit.ts'

/** What a case of the suite is run against: a new, empty store of artifacts, whose clock the case owns. */
export interface ArtifactSubject {
  readonly artifacts: ArtifactStore
  readonly clock: FakeClock
  /** One more handle on the same data, when there can be several. The case does not close it. */
  readonly open?: () => Promise<ArtifactStore>
  /** Changes a byte of what is kept, behind the store's back. */
  readonly damage?: (tenant: string, digest: Digest) => Promise<void>
  /** Set when every call fails before and after its effect and is repeated: answers are then those of repeats. */
  readonly repeats?: boolean
}

/** One behaviour that every store of artifacts has. */
export interface ArtifactCase {
  readonly name: string
  /** `handles`: only for stores that give several handles on the same data. `damage`: only where a test can change what is kept. */
  readonly needs?: 'handles' | 'damage'
  run(subject: ArtifactSubject): Promise<void>
}

const DAY_MS = 86_400_000
const OLD = { olderThanMs: DAY_MS }
const TENANT = 'default'
const NEVER = `sha256:${'0'.repeat(64)}`

/** The contract of `ArtifactStore`, as data: run each case against a new, empty store of artifacts with `runArtifactCase`. */
export const ARTIFACT_CASES: readonly ArtifactCase[] = [
  {
    name: 'gives back what was put, whatever it is, under its digest',
    async run({ artifacts }) {
      for (const bytes of [new Uint8Array(), new Uint8Array([0, 255, 10, 13]), toBytes('ä\u0000'), new Uint8Array(3_000_000).fill(7)]) {
        const digest = await artifacts.put(TENANT, bytes)
        assert.equal(digest, digestBytes(bytes))
        assert.deepEqual(toText(await artifacts.get(TENANT, digest)), toText(bytes))
        assert.equal((await artifacts.info(TENANT, digest))?.bytes, bytes.length)
      }
    }
  },
  {
    name: 'keeps a copy of its own',
    async run({ artifacts }) {
      const bytes = toBytes('kept')
      const digest = await artifacts.put(TENANT, bytes)
      bytes.fill(0)
      const read = await artifacts.get(TENANT, digest)
      assert.equal(toText(read), 'kept')
      read.fill(0)
      assert.equal(toText(await artifacts.get(TENANT, digest)), 'kept')
    }
  },
  {
    name: 'keeps the same bytes once, and gives them a new age when they are put again',
    async run({ artifacts, clock }) {
      const digest = await artifacts.put(TENANT, toBytes('a'))
      await clock.advance(5_000)
      assert.equal(await artifacts.put(TENANT, toBytes('a')), digest)
      assert.deepEqual(await artifacts.list({ tenant: TENANT }), { items: [{ digest, bytes: 1, at: clock.now() }] })
    }
  },
  {
    name: 'keeps tenants apart, whatever they are called',
    async run({ artifacts, clock }) {
      const tenants = ['', '..', '../default', 'a/b', 'A', 'a', 'a\u0000b', '.', 'drafts', 'ä'.repeat(1000)]
      const digest = digestBytes(toBytes('x'))
      for (const [index, tenant] of tenants.entries()) {
        await assertCode(artifacts.get(tenant, digest), 'artifact_missing')
        await artifacts.put(tenant, toBytes('x'))
        await artifacts.put(tenant, toBytes(String(index)))
      }
      await clock.advance(DAY_MS)
      assert.equal(typeof (await artifacts.remove('a', digest, OLD)), 'boolean')
      for (const [index, tenant] of tenants.entries()) {
        const own = await artifacts.get(tenant, digestBytes(toBytes(String(index))))
        assert.equal(toText(own), String(index))
        assert.equal((await artifacts.list({ tenant })).items.length, tenant === 'a' ? 1 : 2)
      }
    }
  },
  {
    name: 'says that an artifact is missing, also for what is no digest',
    async run({ artifacts }) {
      await artifacts.put(TENANT, toBytes('x'))
      for (const digest of [NEVER, '', 'sha256:', '../x', `sha256:../../${'0'.repeat(58)}`, NEVER.toUpperCase()]) {
        await assertCode(artifacts.get(TENANT, digest), 'artifact_missing')
        assert.equal(await artifacts.info(TENANT, digest), null)
        assert.equal(await artifacts.remove(TENANT, digest, OLD), false)
      }
    }
  },
  {
    name: 'refuses bytes that are not those of their digest, and has them right after the next put',
    needs: 'damage',
    async run({ artifacts, damage }) {
      const digest = await artifacts.put(TENANT, toBytes('the truth'))
      await damage?.(TENANT, digest)
      await assertCode(artifacts.get(TENANT, digest), 'artifact_corrupt')
      await artifacts.put(TENANT, toBytes('the truth'))
      assert.equal(toText(await artifacts.get(TENANT, digest)), 'the truth')
    }
  },
  {
    name: 'lists page by page in the order of digests, and only old ones when asked',
    async run({ artifacts, clock }) {
      const old = await putAll(artifacts, ['a', 'b', 'c'])
      await clock.advance(DAY_MS)
      const all = [...old, ...(await putAll(artifacts, ['d', 'e']))].sort()
      const first = await artifacts.list({ tenant: TENANT, limit: 2 })
      const second = await artifacts.list({ tenant: TENANT, limit: 2, after: first.next ?? '' })
      const third = await artifacts.list({ tenant: TENANT, limit: 2, after: second.next ?? '' })
      assert.deepEqual(digestsOf(first, second, third), all)
      assert.deepEqual([typeof first.next, typeof second.next, third.next], ['string', 'string', undefined])
      assert.deepEqual(digestsOf(await artifacts.list({ tenant: TENANT, ...OLD })), [...old].sort())
      assert.deepEqual(await artifacts.list({ tenant: 'other' }), { items: [] })
    }
  },
  {
    name: 'removes what was not put for as long, and nothing else',
    async run({ artifacts, clock, repeats }) {
      const [first, second] = await putAll(artifacts, ['a', 'b'])
      await clock.advance(DAY_MS - 1)
      assert.equal(await artifacts.remove(TENANT, first ?? '', OLD), false)
      await artifacts.put(TENANT, toBytes('b'))
      await clock.advance(1)
      assert.equal(await artifacts.remove(TENANT, first ?? '', OLD), repeats !== true)
      assert.equal(await artifacts.remove(TENANT, first ?? '', OLD), false)
      assert.equal(await artifacts.remove(TENANT, second ?? '', OLD), false)
      await assertCode(artifacts.get(TENANT, first ?? ''), 'artifact_missing')
      assert.deepEqual(digestsOf(await artifacts.list({ tenant: TENANT })), [second])
      await artifacts.put(TENANT, toBytes('a'))
      assert.equal(toText(await artifacts.get(TENANT, first ?? '')), 'a')
    }
  },
  {
    name: 'never removes bytes that are put at the same time',
    async run({ artifacts, clock, open }) {
      const other = (await open?.()) ?? artifacts
      const bytes = toBytes('raced')
      const digest = await artifacts.put(TENANT, bytes)
      for (let round = 0; round < 40; round++) {
        await clock.advance(DAY_MS)
        const rivals = [
          () => artifacts.put(TENANT, bytes),
          () => other.remove(TENANT, digest, OLD),
          () => other.remove(TENANT, digest, OLD)
        ]
        await Promise.all((round % 2 === 0 ? rivals : rivals.reverse()).map((rival) => rival()))
        assert.equal(toText(await other.get(TENANT, digest)), 'raced')
        assert.equal((await artifacts.info(TENANT, digest))?.at, clock.now())
      }
    }
  },
  {
    name: 'takes many puts at once, of the same bytes and of others',
    async run({ artifacts }) {
      const texts = Array.from({ length: 60 }, (_, index) => `text ${index % 20}`)
      const digests = await putAll(artifacts, texts)
      assert.equal(new Set(digests).size, 20)
      for (const [index, digest] of digests.entries()) assert.equal(toText(await artifacts.get(TENANT, digest)), texts[index])
      assert.equal((await artifacts.list({ tenant: TENANT })).items.length, 20)
    }
  },
  {
    name: 'shows every handle what one of them has put',
    needs: 'handles',
    async run({ artifacts, clock, open }) {
      const digest = await artifacts.put(TENANT, toBytes('shared'))
      const other = await open?.()
      assert.ok(other)
      assert.equal(toText(await other.get(TENANT, digest)), 'shared')
      await clock.advance(DAY_MS)
      await other.remove(TENANT, digest, OLD)
      await assertCode(artifacts.get(TENANT, digest), 'artifact_missing')
    }
  }
]

/** Runs one case. `faulty`: every call fails before its effect, then after it, and is repeated as callers must. */
export async function runArtifactCase(
  artifactCase: ArtifactCase,
  subject: ArtifactSubject,
  options: { readonly faulty?: boolean } = {}
): Promise<void> {
  await artifactCase.run(options.faulty === true ? withFaults(subject) : subject)
}

function withFaults(subject: ArtifactSubject): ArtifactSubject {
  const { open } = subject
  const wrap = (artifacts: ArtifactStore): ArtifactStore =>
    repeatingArtifacts(faultyArtifacts(artifacts, createFaults({ fail: createRota(), failRead: createRota() })), 1000)
  return {
    ...subject,
    artifacts: wrap(subject.artifacts),
    repeats: true,
    ...(open === undefined ? {} : { open: async () => wrap(await open()) })
  }
}

function putAll(artifacts: ArtifactStore, texts: readonly string[]): Promise<readonly Digest[]> {
  return Promise.all(texts.map((text) => artifacts.put(TENANT, toBytes(text))))
}

function digestsOf(...pages: readonly { readonly items: readonly { readonly digest: Digest }[] }[]): readonly Digest[] {
  return pages.flatMap(({ items }) => items.map((item) => item.digest))
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function toText(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes)
}
