import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast } from './command-kit.ts'

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined
const required = process.env['HOLDFAST_REQUIRE'] === 'all'

/** What bash offers when the last word is completed. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const folder = folderWith()
  const { stdout } = await holdfast(folder, ['completion', 'bash'])
  const list = words.map((word) => `'${word}'`).join(' ')
  addFiles(folder, {
    'try.sh': `${stdout}\nCOMP_WORDS=(holdfast ${list}); COMP_CWORD=${words.length}; _holdfast\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`
  })
  const told = execFileSync('bash', [join(folder, 'try.sh')], { encoding: 'utf8' })
  return told.split('\n').filter((line) => line !== '')
}

describe('holdfast completion', () => {
  test('offers commands, and options where one has been begun', async () => {
    expect(await offered('re')).toEqual(expect.arrayContaining(['resume']))
    expect(await offered('re')).not.toContain('run')
    expect(await offered('config', '')).toContain('show')
    expect(await offered('config', 'show', '--c')).toEqual(['--config'])
    expect(await offered('resume', 'thr_x', '--t')).toEqual(['--takeover', '--tools'])
  })

  test('offers shared options everywhere, and those of another command nowhere', async () => {
    expect(await offered('log', '--')).toEqual(expect.arrayContaining(['--follow', '--json', '--store']))
    expect(await offered('--json', 'threads', '--f')).toEqual([])
  })

  test('offers the values of an option that has a few, and leaves files to the shell', async () => {
    expect(await offered('run', 'a.yaml', '--durability', '')).toEqual(['power', 'process'])
    expect(await offered('run', 'a.yaml', '--tools', '')).toEqual([])
    expect(await offered('run', '')).toEqual([])
  })

  test('refuses a shell that it does not know', async () => {
    expect(await holdfast(folderWith(), ['completion', 'tcsh'])).toMatchObject({ code: 2 })
  })

  test('describes commands and options for fish', async () => {
    const { stdout } = await holdfast(folderWith(), ['completion', 'fish'])
    expect(stdout).toMatch(/^complete -c holdfast -n 'not __fish_seen_subcommand_from .*\brun\b.*' -f -a 'run' -d '/m)
    expect(stdout).toMatch(/^complete -c holdfast -n '__fish_seen_subcommand_from run' -l durability -x -a 'power process' -d '/m)
  })

  test('offers what fish asks for', async (context) => {
    if (!has('fish') && !required) context.skip('there is no fish here')
    const folder = folderWith()
    addFiles(folder, { script: (await holdfast(folder, ['completion', 'fish'])).stdout })
    const asked = `source ${join(folder, 'script')}; complete -C 'holdfast config sho'; complete -C 'holdfast run x --durability '`
    const offers = execFileSync('fish', ['-c', asked], { encoding: 'utf8', env: { ...process.env, HOME: folder } })
    expect(offers.match(/^\w+/gm)).toEqual(['show', 'power', 'process'])
  })

  test.for([
    ['bash', ['-n']],
    ['zsh', ['-n']],
    ['fish', ['--no-execute']]
  ] as const)('is a script that %s can read', async ([shell, check], context) => {
    if (!has(shell) && !required) context.skip(`there is no ${shell} here`)
    const folder = folderWith()
    const { code, stdout } = await holdfast(folder, ['completion', shell])
    expect(code).toBe(0)
    addFiles(folder, { script: stdout })
    expect(spawnSync(shell, [...check, join(folder, 'script')], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
})
