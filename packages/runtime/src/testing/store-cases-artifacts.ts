import assert from 'node:assert/strict'
import type { StoreCase } from './store-kit.ts'
import { accepted, note, received, refusal } from './store-kit.ts'

const A = `sha256:${'a'.repeat(64)}`
const B = `sha256:${'b'.repeat(64)}`

/** Which artifacts commits name. What becomes of their bytes is the contract of `ArtifactStore`. */
export const artifactUseCases: readonly StoreCase[] = [
  {
    name: 'counts the artifacts that commits name, once for each thread, together with the commit',
    async run({ store }, kit) {
      const first = await kit.own(await kit.start())
      const second = await kit.own(await kit.start())
      accepted(await first.append({ artifacts: [A, B] }))
      accepted(await first.append({ artifacts: [A] }))
      accepted(await second.append({ artifacts: [A] }))
      assert.equal(refusal(await second.append({ artifacts: [B], attempt: second.claim.attempt + 1 })), 'fenced')
      const { thread } = first.claim
      assert.deepEqual(await store.artifactUses('default', [B, A, 'sha256:none']), [
        { digest: A, threads: 2, thread },
        { digest: B, threads: 1, thread }
      ])
      assert.deepEqual(await store.artifactUses('default', [A, B], { thread: second.claim.thread }), [
        { digest: A, threads: 1, thread: second.claim.thread }
      ])
      assert.deepEqual(await store.artifactUses('default', [A], { thread: 'thr_none' }), [])
      assert.deepEqual(await store.artifactUses('other', [A, B]), [])
      assert.deepEqual(await store.artifactUses('default', []), [])
    }
  },
  {
    name: 'forgets the artifacts of a thread that is removed, and leaves those of others',
    async run({ store }, kit) {
      const gone = await kit.start()
      const owner = await kit.own(gone)
      const other = await kit.own(await kit.start())
      accepted(await owner.append({ artifacts: [A, B] }))
      accepted(await other.append({ artifacts: [B] }))
      accepted(await owner.release({ facts: [note()], row: kit.row({ status: 'completed' }) }))
      assert.equal(await store.remove(gone.id), kit.first('removed', 'unknown'))
      assert.deepEqual(await store.artifactUses('default', [A, B]), [{ digest: B, threads: 1, thread: other.claim.thread }])
    }
  },
  {
    name: 'gives artifacts back that a commit names',
    async run({ store }, kit) {
      const owner = await kit.own(await kit.start())
      const bytes = new TextEncoder().encode('large')
      const digest = await store.artifacts.put('default', bytes)
      await store.deliver([kit.item(owner.claim.thread, 'm1')])
      accepted(await owner.append({ facts: [received('m1')], consumed: ['m1'], artifacts: [digest] }))
      assert.equal(new TextDecoder().decode(await store.artifacts.get('default', digest)), 'large')
      assert.equal((await store.artifacts.list({ tenant: 'default' })).items.length, 1)
    }
  }
]
