import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { holdfast, linesOf, threadOf } from './command-kit.ts'
import { documentOf, project, waitsOf } from './waits-kit.ts'

const STAMP = { name: 'stamp', arguments: {} }
const PAY = { name: 'pay', arguments: { ms: 0 } }
const ASK = { name: 'ask_user', arguments: { question: 'Which one?', options: ['red', 'blue'] } }

async function start(folder: string): Promise<string> {
  return threadOf(await holdfast(folder, ['run', 'agent.yaml']))
}

describe("a thread's id in place of a wait's", () => {
  test('means its only call that is held', async () => {
    const folder = project([STAMP, ASK])
    const [thread, other] = [await start(folder), await start(folder)]
    expect(await documentOf(folder, ['approve', thread])).toMatchObject({ exit: 3, thread, decisions: [{ state: 'accepted' }] })
    expect(linesOf(join(folder, 'ledger.txt'))).toHaveLength(1)
    expect((await waitsOf(folder, ['--kind', 'approval'])).map((wait) => wait.thread)).toEqual([other])
    expect(await documentOf(folder, ['deny', other])).toMatchObject({ exit: 3, thread: other, decisions: [{ state: 'accepted' }] })
  })

  test('means its only question', async () => {
    const folder = project([STAMP, ASK])
    const [thread, other] = [await start(folder), await start(folder)]
    expect(await documentOf(folder, ['answer', thread, 'blue'])).toMatchObject({ thread, decisions: [{ state: 'accepted' }] })
    expect((await waitsOf(folder, ['--kind', 'question'])).map((wait) => wait.thread)).toEqual([other])
  })

  test('lists what waits of it', async () => {
    const folder = project([STAMP, ASK])
    const [thread] = [await start(folder), await start(folder)]
    expect(await waitsOf(folder, [thread])).toMatchObject([{ thread }, { thread }])
  })

  test('is an error that lists them when several fit, and when none does', async () => {
    const folder = project([STAMP, PAY])
    const thread = await start(folder)
    const several = await documentOf<{ error: { details: { waits: string[] } } }>(folder, ['approve', thread])
    expect(several).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
    expect(several.error.details.waits.toSorted()).toEqual((await waitsOf(folder)).map(({ id }) => id).toSorted())
    for (const argv of [
      ['answer', thread, 'x'],
      ['approve', 'thr_none']
    ]) {
      expect(await documentOf(folder, argv)).toMatchObject({ exit: 2, error: { code: 'invalid_input' } })
    }
    expect(linesOf(join(folder, 'ledger.txt'))).toEqual([])
  })

  test('is no answer by itself', async () => {
    const folder = project([ASK])
    const thread = await start(folder)
    expect((await holdfast(folder, ['answer', thread])).code).toBe(2)
    expect(await waitsOf(folder)).toHaveLength(1)
  })
})
