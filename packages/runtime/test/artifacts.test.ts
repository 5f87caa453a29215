import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileArtifacts } from '../src/artifacts/file-artifacts.ts'
import type { Store } from '../src/contracts/store.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import type { ArtifactSubject } from '../src/testing/artifact-suite.ts'
import { ARTIFACT_CASES, runArtifactCase } from '../src/testing/artifact-suite.ts'
import { fakeClock } from '../src/testing/fake-clock.ts'

let folder = ''
const stores: Store[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-artifacts-'))
})

afterEach(async () => {
  for (const store of stores.splice(0)) await store[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const SUBJECTS: { readonly [name: string]: () => Promise<ArtifactSubject> } = {
  async memory() {
    const clock = fakeClock()
    return { artifacts: memoryStore({ clock }).artifacts, clock }
  },
  async files() {
    const clock = fakeClock()
    return {
      artifacts: fileArtifacts(join(folder, 'deep', 'artifacts'), { clock }),
      clock,
      open: async () => fileArtifacts(join(folder, 'deep', 'artifacts'), { clock }),
      damage: async (_, digest) => writeFileSync(pathOf(digest), 'the trutH')
    }
  },
  async SQLite() {
    const clock = fakeClock()
    const open = async () => {
      const store = await sqliteStore(join(folder, 'store.db'), { clock, durability: 'process' })
      stores.push(store)
      return store.artifacts
    }
    return {
      artifacts: await open(),
      clock,
      open,
      damage: async () => {
        using db = new DatabaseSync(join(folder, 'store.db'))
        db.exec('UPDATE artifact_bytes SET bytes = zeroblob(9)')
      }
    }
  }
}

function pathOf(digest: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(digest.slice(7)))
  return join(folder, found ?? 'none')
}

describe.each(Object.entries(SUBJECTS))('artifacts in %s', (_, subject) => {
  describe.each([
    { how: 'plain', faulty: false },
    { how: 'with every call failing before and after its effect', faulty: true }
  ])('$how', ({ faulty }) => {
    for (const each of ARTIFACT_CASES) {
      test(each.name, async (context) => {
        const given = await subject()
        if ((each.needs === 'handles' && !given.open) || (each.needs === 'damage' && !given.damage)) return context.skip()
        await runArtifactCase(each, given, { faulty })
      })
    }
  })
})

describe('artifacts in files', () => {
  const bytes = new TextEncoder().encode('content')
  const files = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(folder, path)).isFile())

  test('are readable by their owner alone, in folders of the same kind, under names of digits', async () => {
    const artifacts = fileArtifacts(join(folder, 'artifacts'))
    await artifacts.put('../../tenant', bytes)
    const [path = ''] = files()
    expect(path).toMatch(/^artifacts\/[0-9a-f]{64}\/[0-9a-f]{2}\/[0-9a-f]{64}$/)
    expect(statSync(join(folder, path)).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'artifacts')).mode & 0o777).toBe(0o700)
  })

  test('leave nothing under a name that is not whole, and clear up what a killed process left', async () => {
    await fileArtifacts(folder).put('default', bytes)
    const [path = ''] = files()
    const draft = join(folder, path.slice(0, 64), 'drafts', 'left.behind')
    writeFileSync(draft, 'half')
    const soon = fileArtifacts(folder)
    await soon.put('default', new TextEncoder().encode('second'))
    expect(existsSync(draft)).toBe(true)
    expect((await soon.list({ tenant: 'default' })).items).toHaveLength(2)
    const later = fileArtifacts(folder, { clock: { now: () => Date.now() + 90_000_000 } })
    await later.put('default', new TextEncoder().encode('third'))
    expect(existsSync(draft)).toBe(false)
  })

  test('are found while a removal that was cut off holds them, and removed by the next one', async () => {
    const clock = fakeClock()
    const artifacts = fileArtifacts(folder, { clock })
    const digest = await artifacts.put('default', bytes)

    renameSync(pathOf(digest), `${pathOf(digest)}.removed`)
    expect(await artifacts.get('default', digest)).toHaveLength(bytes.length)
    expect((await artifacts.list({ tenant: 'default' })).items.map((item) => item.digest)).toEqual([digest])
    await clock.advance(86_400_000)
    expect(await artifacts.remove('default', digest, { olderThanMs: 86_400_000 })).toBe(true)
    expect(files()).toEqual([])
  })

  test('say that the store cannot be used where a file stands in their place', async () => {
    writeFileSync(join(folder, 'file'), '')
    await expect(fileArtifacts(join(folder, 'file')).put('default', bytes)).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})
