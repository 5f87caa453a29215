// The tutorial as its reader follows it: its files are written, its commands run in an empty folder, and what it shows is compared.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAIN = join(ROOT, 'packages/cli/src/main.ts')
const PATIENCE_MS = 300_000

type Block = { readonly language: string; readonly options: { readonly [name: string]: string }; readonly text: string }

test('every file and command of the tutorial does what the page shows', { timeout: PATIENCE_MS }, () => {
  const blocks = readBlocks(readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8'))
  const shell = openShell()
  let told = ''
  for (const { language, options, text } of blocks) {
    if (options['file'] !== undefined) shell.write(options['file'], text)
    else if (language === 'sh') told = shell.run(text, Number(options['exit'] ?? 0))
    else if (language === 'text') expectShown(told, text.replaceAll('THREAD', shell.thread()))
    else throw new Error(`a block of ${language} is neither a file nor a command nor what one shows`)
  }
  expect(blocks.length).toBeGreaterThan(20)
})

function readBlocks(page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, language = '', info = '', text = '']) => {
    const options = Object.fromEntries([...info.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))
    return { language, options, text }
  })
}

/** Each line must be among those that came, in this order; `…` is anything. */
function expectShown(told: string, shown: string): void {
  const lines = told.split('\n')
  let from = 0
  for (const line of shown.trim().split('\n')) {
    const pattern = new RegExp(`^${line.split('…').map(escapeText).join('.*')}\\s*$`)
    const found = lines.findIndex((each, index) => index >= from && pattern.test(each))
    expect(found, `"${line}" in this order in:\n${told}`).toBeGreaterThanOrEqual(from)
    from = found + 1
  }
}

function escapeText(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** A shell in an empty folder. `npx holdfast` is the command from its sources, and what `npm install` would bring is linked. */
function openShell() {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-tutorial-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const programs = join(home, 'programs')
  let cwd = join(home, 'empty')
  let thread = 'THREAD'
  mkdirSync(programs)
  mkdirSync(cwd)
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" --conditions=@holdfast/source "${MAIN}" "$@"\n`
  writeFileSync(join(programs, 'npx'), npx)
  chmodSync(join(programs, 'npx'), 0o755)
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_|VITEST|HOLDFAST_|FORCE_COLOR)/.test(name))),
    NODE_OPTIONS: '--conditions=@holdfast/source',
    NO_COLOR: '1',
    PATH: [programs, dirname(process.execPath), process.env['PATH']].join(delimiter)
  }

  function runLine(line: string, exit: number): string {
    if (line.startsWith('cd ')) {
      cwd = join(cwd, line.slice('cd '.length))
      return ''
    }
    if (line === 'npm install') {
      symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
      return ''
    }
    // Both streams through one pipe, as a terminal shows them.
    const ended = spawnSync('sh', ['-c', `exec 2>&1\n${line.replaceAll('THREAD', thread)}\nexit $?`], { cwd, env, encoding: 'utf8' })
    expect(ended.status, `${line}\n${ended.stdout}`).toBe(exit)
    const started = /^thread (thr_\w+)$/m.exec(ended.stdout)?.[1]
    if (started !== undefined) thread = started
    return ended.stdout
  }

  return {
    thread: () => thread,
    write: (file: string, text: string) => writeFileSync(join(cwd, file), text),
    run: (text: string, exit: number) =>
      text
        .trim()
        .split('\n')
        .map((line) => runLine(line, exit))
        .join('')
  }
}
