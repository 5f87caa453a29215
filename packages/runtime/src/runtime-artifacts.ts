import type { ArtifactCollection, ArtifactEntry, RuntimeArtifacts } from './contracts/artifact-api.ts'
import type { ArtifactInfo } from './contracts/artifact.ts'
import type { Digest, Ms } from './contracts/ids.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { assertWholeNumber } from './whole-number.ts'

/** Bytes that were put are named by a commit within this time, or never. */
const SHORTEST_AGE_MS: Ms = 86_400_000
const PAGE_LIMIT = 1_000

/** What a runtime's tenant has of artifacts. */
export function createRuntimeArtifacts(core: RuntimeCore): RuntimeArtifacts {
  const { artifacts } = core.bodies
  return {
    get: (digest) => artifacts.get(core.tenant, digest),
    async list(query = {}) {
      const { items, ...rest } = await artifacts.list({ ...query, tenant: core.tenant })
      return { items: await withUses(core, items), ...rest }
    },
    async collect({ olderThanMs = SHORTEST_AGE_MS, dryRun = false } = {}) {
      assertWholeNumber('olderThanMs', olderThanMs, SHORTEST_AGE_MS)
      let collected: ArtifactCollection = { artifacts: 0, bytes: 0 }
      for (let after: Digest | undefined = ''; after !== undefined; ) {
        const page = await artifacts.list({ tenant: core.tenant, olderThanMs, after, limit: PAGE_LIMIT })
        const unused = (await withUses(core, page.items)).filter((entry) => entry.threads === 0)
        for (const { digest, bytes } of unused) {
          if (dryRun || (await artifacts.remove(core.tenant, digest, { olderThanMs }))) {
            collected = { artifacts: collected.artifacts + 1, bytes: collected.bytes + bytes }
          }
        }
        after = page.next
      }
      return collected
    }
  }
}

async function withUses(core: RuntimeCore, items: readonly ArtifactInfo[]): Promise<readonly ArtifactEntry[]> {
  const digests = items.map((item) => item.digest)
  const uses = new Map((await core.store.artifactUses(core.tenant, digests)).map((use) => [use.digest, use]))
  return items.map((item) => ({ ...item, threads: 0, ...uses.get(item.digest) }))
}
