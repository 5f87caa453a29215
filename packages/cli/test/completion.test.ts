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
    expect(await offered('resume', 'thr_x', '--t')).toEqual(['--takeover', '--tools', '--timeout'])
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

  // Colons end words in bash.
  test('offers the waits that a command can be about', async () => {
    const folder = folderWith()
    const { stdout } = await holdfast(folder, ['completion', 'bash'])
    const ids = ['thr_a:run_a//1.0:approval:1', 'thr_a:run_a//1.1:approval:1', 'thr_b:run_b//1.0:approval:1']
    const offers = (line: string, words: readonly string[], breaks: string): readonly string[] => {
      addFiles(folder, {
        'try.sh': `holdfast() { [ "$*" = 'waits --ids --kind approval' ] && printf '%s\\n' ${ids.map((id) => `'${id}'`).join(' ')}; }
${stdout}
COMP_WORDBREAKS='${breaks}'; COMP_LINE='${line}'; COMP_POINT=${line.length}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _holdfast\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`
      })
      return execFileSync('bash', [join(folder, 'try.sh')], { encoding: 'utf8' })
        .split('\n')
        .filter(Boolean)
    }
    expect(offers('holdfast approve ', ['holdfast', 'approve', ''], ' :')).toEqual(ids)
    expect(offers('holdfast deny thr_a:run', ['holdfast', 'deny', 'thr_a', ':', 'run'], ' :')).toEqual(
      ids.slice(0, 2).map((id) => id.slice(6))
    )
    expect(offers('holdfast deny thr_a:run', ['holdfast', 'deny', 'thr_a:run'], ' ')).toEqual(ids.slice(0, 2))
    expect(offers('holdfast approve --no', ['holdfast', 'approve', '--no'], ' :')).toEqual(['--note', '--no-color'])
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
