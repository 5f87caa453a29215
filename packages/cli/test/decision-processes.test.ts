// Real processes: one runs, another lists, a third decides; and the same at two pseudo-terminals.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually, linesOf, startHoldfast, threadOf } from './command-kit.ts'
import { atPseudoTerminal } from './pty-kit.ts'
import { project, waitsOf } from './waits-kit.ts'

/** That of util-linux, which can run a command and give its exit code. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
const required = process.env['HOLDFAST_REQUIRE'] === 'all'

const ledgerOf = (folder: string): readonly string[] => linesOf(join(folder, 'ledger.txt'))

describe('processes that share a store', () => {
  test('one is killed while a turn is held, others list, deny, edit, answer, and the run completes', async () => {
    const calls = [
      { name: 'echo', arguments: { text: 'free' } },
      { name: 'stamp', arguments: {} },
      { name: 'pay', arguments: { ms: 1 } },
      { name: 'ask_user', arguments: { question: 'Which one?', options: ['red', 'blue'] } }
    ]
    const folder = project([...calls, { name: 'pay', arguments: { ms: 60_000 } }], {
      config: { permissions: [{ effect: 'ask', tool: 'pay', when: { path: 'ms', lt: 1000 } }] },
      agent: { tools: [{ ref: 'stamp', approval: true }, 'pay', 'echo', 'ask_user'] }
    })
    const one = startHoldfast(folder, ['run', 'agent.yaml'])
    await one.until(/echo ok/)
    await one.until(/pay started/)
    await eventually(() => ledgerOf(folder).length === 1)
    one.child.kill('SIGKILL')
    await one.ended
    const held = await waitsOf(folder)
    expect(held.map(({ kind, subject }) => subject.tool ?? kind)).toEqual(['stamp', 'pay', 'question'])
    const [stamp, pay, question] = held.map(({ id }) => id)
    const deny = startHoldfast(folder, ['deny', stamp ?? '', '--reason', 'no', '--detach'])
    const edit = startHoldfast(folder, ['approve', pay ?? '', '--edit', '{"ms":2}', '--detach'])
    expect([await deny.ended, await edit.ended]).toEqual([0, 0])
    const answer = startHoldfast(folder, ['answer', question ?? '', 'blue', '--detach'])
    expect(await answer.ended).toBe(0)
    // What had been started and is repeatable runs again under its key, and finds that it was done.
    const last = startHoldfast(folder, ['resume', threadOf(one.stderr())])
    expect(await last.ended).toBe(0)
    expect(last.stdout()).toBe('done\n')
    const pays = ledgerOf(folder)
    expect(pays.every((line) => line.startsWith('pay '))).toBe(true)
    expect(new Set(pays).size).toBe(2)
    expect(pays).toHaveLength(2)
  })

  test('one that drives goes on with what another one decides, while its other calls run', async () => {
    const folder = project(
      [
        { name: 'stamp', arguments: {} },
        { name: 'pay', arguments: { ms: 60_000 } }
      ],
      {
        agent: { tools: [{ ref: 'stamp', approval: true }, 'pay'] }
      }
    )
    const one = startHoldfast(folder, ['run', 'agent.yaml'])
    await one.until(/pay started/)
    await eventually(() => ledgerOf(folder).length === 1)
    const approve = startHoldfast(folder, ['approve', '--json'])
    expect(await approve.ended).toBe(0)
    expect(JSON.parse(approve.stdout())).toMatchObject({ decisions: [{ state: 'accepted' }], owner: { worker: expect.any(String) } })
    await one.until(/stamp ok/)
    expect(one.stderr()).not.toContain('pay ok')
    expect(ledgerOf(folder)).toHaveLength(2)
  })

  test('a watcher in another one is told when it waits, once', async () => {
    const folder = project([{ name: 'stamp', arguments: {} }])
    const first = startHoldfast(folder, ['run', 'agent.yaml'])
    expect(await first.ended).toBe(3)
    const watch = startHoldfast(folder, ['waits', '--watch', '--jsonl'])
    await watch.until(/"kind":"approval"/)
    const second = startHoldfast(folder, ['run', 'agent.yaml'])
    expect(await second.ended).toBe(3)
    const thread = threadOf(second.stderr())
    await watch.until(new RegExp(`"thread":"${thread}"`))
    watch.child.kill('SIGINT')
    expect(await watch.ended).toBe(130)
    const ids = watch
      .stdout()
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { readonly id: string }).id)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
  })
})

describe.skipIf(!hasScript && !required)('two pseudo-terminals (need script of util-linux)', () => {
  test('what one asks about is approved in the other, and both show the result', async () => {
    const folder = project([{ name: 'stamp', arguments: {} }])
    const one = atPseudoTerminal(folder, 'holdfast run agent.yaml')
    await one.until(/\? help > /)
    const two = atPseudoTerminal(folder, 'holdfast waits && holdfast approve')
    await two.until(/stamp, is started once at most/)
    await two.until(/done/)
    expect(await two.ended).toBe(0)
    await one.until(/Somebody else has decided/)
    expect(await one.ended).toBe(0)
    expect(one.shown()).toMatch(/done\r?\n/)
    expect(ledgerOf(folder)).toHaveLength(1)
  })

  test('Ctrl-C at the question leaves it open, and the terminal as it was', async () => {
    const folder = project([{ name: 'stamp', arguments: {} }])
    const one = atPseudoTerminal(
      folder,
      'stty -g > before; holdfast run agent.yaml; code=$?; stty -g > after; cmp before after && echo the same; exit $code'
    )
    await one.until(/\? help > /)
    one.type('\u0003')
    await one.until(/the same/)
    expect(await one.ended).toBe(130)
    expect((await waitsOf(folder)).map(({ kind }) => kind)).toEqual(['approval'])
    expect(ledgerOf(folder)).toEqual([])
  })
})
