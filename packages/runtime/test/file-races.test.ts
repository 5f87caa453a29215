import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { isHoldfastError } from '../src/contracts/errors.ts'
import { fileToolKit, twoFolders } from './file-kit.ts'
import { grantsOf } from './grants-kit.ts'

/** Names that are swapped for links to what lies outside: a folder, a folder in a folder, a file, a file that does not exist outside. */
const NAMES = ['x', 'y/deep', 'file', 'new']

/** What a tool may say while the ground moves. Anything else is a fault. */
const EXPECTED = new Set(['link', 'not_found', 'not_a_folder', 'not_a_file'])

test.skipIf(process.platform !== 'linux')(
  'writes nothing outside in 10,000 raced writes',
  async () => {
    // B098
    const { inside, swapper, outsideNow } = await movingGround()
    const tools = fileToolKit({ read: [inside], write: [inside] })
    const paths = (index: number) =>
      [`x/f${index % 40}`, `x/deep/made${index % 40}/f`, `y/deep/f${index % 40}`, 'file', 'new'][index % 5] ?? ''
    const before = outsideNow()
    const outcomes = await race(10_000, async (index) => {
      await tools.call('write_file', { path: paths(index), content: 'raced' })
    })
    expect(outsideNow()).toEqual(before)
    expect(outcomes.total).toBe(10_000)
    expect([...outcomes.refused.keys()].filter((reason) => !EXPECTED.has(reason))).toEqual([])
    expect(outcomes.done).toBeGreaterThan(500)
    expect(outcomes.refused.get('link')).toBeGreaterThan(100)
    // The same ground, without the tool: otherwise nothing was raced.
    for (let tries = 0; tries < 100_000 && outsideNow().length === before.length; tries += 1) naiveWrite(inside)
    expect(outsideNow()).not.toEqual(before)
    expect(await swapper.stop()).toBeGreaterThan(1_000)
  },
  180_000
)

test.skipIf(process.platform !== 'linux')(
  'does neither beside what the thread is granted, although the roots of the tools hold it',
  async () => {
    // B098
    const { inside, swapper, outsideNow } = await movingGround()
    const roots = [dirname(inside)]
    const tools = fileToolKit({ read: roots, write: roots })
    const context = { grants: grantsOf({ files: { read: [inside, `${inside}/x`], write: [`${inside}/x`] } }) }
    const before = outsideNow()
    const seen: string[] = []
    const outcomes = await race(3_000, async (index) => {
      if (index % 2 === 0) await tools.call('write_file', { path: join(inside, `x/deep/made${index % 40}/f`), content: 'raced' }, context)
      else seen.push(JSON.stringify(await tools.call('read_file', { path: join(inside, 'x/secret') }, context)))
    })
    expect(outsideNow()).toEqual(before)
    expect(seen.filter((text) => text.includes('outside'))).toEqual([])
    expect([...outcomes.refused.keys()].filter((reason) => !EXPECTED.has(reason))).toEqual([])
    expect(outcomes.done).toBeGreaterThan(150)
    expect(outcomes.refused.get('link')).toBeGreaterThan(30)
    expect(await swapper.stop()).toBeGreaterThan(500)
  },
  180_000
)

test.skipIf(process.platform !== 'linux')(
  'reads, lists and finds nothing outside in raced reads',
  async () => {
    // B098
    const { inside, swapper } = await movingGround()
    const tools = fileToolKit({ read: [inside] })
    const asks = [
      ['read_file', { path: 'x/secret' }],
      ['read_file', { path: 'y/deep/secret' }],
      ['read_file', { path: 'file' }],
      ['list_directory', { path: 'x', depth: 3 }],
      ['search_files', { pattern: 'e', path: 'y' }]
    ] as const
    const seen: string[] = []
    const outcomes = await race(3_000, async (index) => {
      const [name, input] = asks[index % asks.length] ?? asks[0]
      seen.push(JSON.stringify(await tools.call(name, input)))
    })
    expect(seen.filter((text) => text.includes('outside'))).toEqual([])
    expect([...outcomes.refused.keys()].filter((reason) => !EXPECTED.has(reason))).toEqual([])
    expect(outcomes.done).toBeGreaterThan(150)
    expect(await swapper.stop()).toBeGreaterThan(1_000)
  },
  180_000
)

/** A root in which a thread swaps folders and files for links to the outside. */
async function movingGround() {
  const { inside, outside } = await twoFolders({ inMemory: true })
  for (const path of ['x/deep', 'y/deep']) mkdirSync(join(inside, path), { recursive: true })
  for (const path of ['x/secret', 'x/deep/secret', 'y/deep/secret', 'file', 'new']) writeFileSync(join(inside, path), 'inside')
  mkdirSync(join(outside, 'deep'))
  for (const path of ['secret', 'deep/secret', 'outside-only']) writeFileSync(join(outside, path), 'outside')
  symlinkSync(outside, join(inside, 'x.link'))
  symlinkSync(join(outside, 'deep'), join(inside, 'y/deep.link'))
  symlinkSync(join(outside, 'secret'), join(inside, 'file.link'))
  symlinkSync(join(outside, 'never-made'), join(inside, 'new.link'))
  const swapper = await startSwapper(inside)
  return { inside, swapper, outsideNow: () => snapshot(outside) }
}

async function startSwapper(folder: string) {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./fixtures/file-swapper.ts', import.meta.url), { workerData: { folder, names: NAMES, stop } })
  onTestFinished(async () => {
    await worker.terminate()
  })
  const heard = () => new Promise<unknown>((resolve, reject) => worker.once('message', resolve).once('error', reject))
  await heard()
  return {
    stop: () => {
      const swaps = heard()
      Atomics.store(stop, 0, 1)
      return swaps
    }
  }
}

/** Does something so many times, several at once, and counts how it ended. */
async function race(times: number, act: (index: number) => Promise<void>) {
  const refused = new Map<string, number>()
  let done = 0
  let next = 0
  const runner = async () => {
    while (next < times) {
      const index = next++
      try {
        await act(index)
        done += 1
      } catch (error) {
        if (!isHoldfastError(error)) throw error
        const reason = String(error.details['reason'])
        refused.set(reason, (refused.get(reason) ?? 0) + 1)
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, runner))
  return { done, refused, total: done + [...refused.values()].reduce((sum, count) => sum + count, 0) }
}

function naiveWrite(inside: string): void {
  try {
    writeFileSync(join(inside, 'x', 'naive'), 'naive')
  } catch {
    // Nothing stood there at this moment.
  }
}

/** Everything in a folder: names, sizes and content. */
function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const stats = statSync(join(folder, name))
      return stats.isFile() ? `${name} ${stats.ino} ${readFileSync(join(folder, name), 'utf8')}` : `${name}/`
    })
}
