import { existsSync, readdirSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { addFiles, folderWith, holdfast, threadOf } from './command-kit.ts'
import { refusalOf } from './refusal-kit.ts'
import { scriptedAgent } from './scripted-agent.ts'

describe('a manifest that cannot be used', () => {
  test('is told with file, line, column, path and near miss, all problems at once, and makes no store', async () => {
    const folder = folderWith({
      'bad.yaml': 'schemaVersion: "1.0"\nname: x\nmodel: { provider: scripted, model: ./s.yaml }\nlimts:\n  maxTurns: 3\ntools: 7\n'
    })
    const error = await refusalOf(folder, ['run', 'bad.yaml', 'hello'], 2)
    expect(error.code).toBe('invalid_manifest')
    expect(error.details['problems']).toEqual([
      expect.objectContaining({ file: 'bad.yaml', line: 4, column: 1, nearMiss: 'limits' }),
      expect.objectContaining({ file: 'bad.yaml', line: 6, path: 'tools' })
    ])
    const human = await holdfast(folder, ['run', 'bad.yaml', 'hello'])
    expect(human.stderr).toContain('bad.yaml:4:1')
    expect(human.stdout).toBe('')
    expect(existsSync(join(folder, '.holdfast'))).toBe(false)
  })

  test.each(['tools.ts', 'tools.mjs'])('is told to be a module, and not what a module is as YAML: %s', async (name) => {
    const folder = folderWith({ [name]: "export const x = defineTool({ name: 'x' })\n" })
    expect(await refusalOf(folder, ['run', name], 2)).toMatchObject({ code: 'invalid_manifest', details: { path: join(folder, name) } })
  })

  test('is told which configuration is not used for it', async () => {
    const folder = folderWith({
      'desk/agent.yaml': 'schemaVersion: "1.0"\nmodel: { ref: main }\n',
      'desk/holdfast.config.yaml': 'version: "1.0"\n'
    })
    const config = join(folder, 'desk/holdfast.config.yaml')
    expect((await holdfast(folder, ['run', 'desk/agent.yaml', 'x'])).stderr.split('\n')[0]).toContain(config)
    expect((await holdfast(join(folder, 'desk'), ['run', 'agent.yaml', 'x'])).stderr).toMatch(/^error\[model_unknown\]/)
  })

  test.for([
    ['is not there', ['run', 'missing.yaml'], 'file_not_found'],
    ['is a folder', ['run', 'folder'], 'file_unreadable'],
    ['is not text', ['run', 'bytes.yaml'], 'file_unreadable'],
    ['is no YAML', ['run', 'broken.yaml'], 'invalid_manifest'],
    ['is empty', ['run', 'empty.yaml'], 'invalid_manifest'],
    ['names a tool that nobody has', ['run', 'tool.yaml', 'x'], 'tool_unknown'],
    ['has no prompt, and none is given', ['run', 'mute.yaml'], 'invalid_input'],
    ['names a script that is not there', ['run', 'mute.yaml', 'x'], 'file_not_found'],
    ['names a provider that does not exist', ['run', 'mute.yaml', 'x', '--model', 'opnai/gpt-5'], 'model_unknown'],
    ['needs a key that is not set', ['run', 'mute.yaml', 'x', '--model', 'openai/gpt-5'], 'secret_missing'],
    ['names a profile without a configuration', ['run', 'mute.yaml', 'x', '--model', 'small'], 'model_unknown']
  ] as const)('is refused with exit code 2 when it %s', async ([, argv, code]) => {
    const folder = folderWith({
      'broken.yaml': 'name: [',
      'empty.yaml': '',
      'mute.yaml': 'schemaVersion: "1.0"\nname: mute\nmodel: { provider: scripted, model: ./nowhere.yaml }\n',
      'tool.yaml': 'schemaVersion: "1.0"\nname: tool\nmodel: { provider: scripted, model: ./nowhere.yaml }\ntools: [nope]\n'
    })
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'bytes.yaml'), Buffer.from([0x6e, 0xff, 0xfe]))
    expect((await refusalOf(folder, argv, 2)).code).toBe(code)
    expect(existsSync(join(folder, '.holdfast'))).toBe(false)
  })

  // B108
  test.for([
    ['0', 'maxTurns', 0],
    ['-1', 'maxTurns', -1],
    ['1.5', 'maxTurns', 1.5],
    ['a text', 'maxTurns', '3'],
    ['nothing', 'toolTimeoutMs', null],
    ['an empty text', 'toolTimeoutMs', ''],
    ['a duration', 'runTimeoutMs', '5m'],
    ['negative zero', 'providerTimeoutMs', -0]
  ] as const)('is refused when a limit is %s', async ([, limit, value]) => {
    const folder = folderWith(scriptedAgent([{ text: 'ok' }], { limits: { [limit]: value } }))
    const error = await refusalOf(folder, ['run', 'agent.yaml'], 2)
    expect(error.details['problems']).toEqual([expect.objectContaining({ line: 1, path: `limits.${limit}` })])
  })

  // B108
  test('is refused when a limit is infinite or no number', async () => {
    for (const value of ['.inf', '.nan', '0x', '1e999']) {
      const folder = folderWith({
        ...scriptedAgent([]),
        'agent.yaml': `schemaVersion: "1.0"\nname: x\nmodel: { ref: y }\nlimits:\n  maxTurns: ${value}\n`
      })
      const error = await refusalOf(folder, ['run', 'agent.yaml', 'x'], 2)
      expect(error.details['problems']).toEqual([expect.objectContaining({ line: 5 })])
    }
  })

  // B108
  test('may have timeouts beyond what a timer can hold', async () => {
    const limits = { toolTimeoutMs: 3_000_000_000, runTimeoutMs: 3_000_000_000, providerTimeoutMs: 3_000_000_000 }
    const folder = folderWith(
      scriptedAgent([{ toolCalls: [{ name: 'pay', arguments: { ms: 30 } }] }, { text: 'ok' }], { limits, tools: ['pay'] })
    )
    expect(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])).toMatchObject({ code: 0, stdout: 'ok\n' })
  })
})

describe('input that cannot be used', () => {
  const FILES = {
    ...scriptedAgent([{ text: 'ok' }], {
      variables: [
        { key: 'count', type: 'number' },
        { key: 'must', type: 'string', requiresOverride: true }
      ]
    }),
    'not.json': '{',
    'throws.mjs': 'throw new Error("no")\n',
    'syntax.ts': 'const x: = 3\n',
    'none.mjs': 'export const x = 1\n',
    'twice.mjs': TOOL_TWICE()
  }

  test.for([
    ['an unknown variable', ['--var', 'must=x', '--var', 'cuont=1'], 'invalid_input'],
    ['a variable of another type', ['--var', 'must=x', '--var', 'count=many'], 'invalid_input'],
    ['a variable without a value', ['--var', 'must'], 'invalid_input'],
    ['a variable given twice', ['--var', 'must=1', '--var', 'must=2'], 'invalid_input'],
    ['a variable from a file that is not there', ['--var', 'must=@nowhere'], 'file_not_found'],
    ['a required variable that is missing', [], 'invalid_input'],
    ['a tools module that is not there', ['--var', 'must=x', '--tools', 'nowhere.ts'], 'file_not_found'],
    ['a tools module that is no module', ['--var', 'must=x', '--tools', 'not.json'], 'invalid_tools'],
    ['a tools module that throws', ['--var', 'must=x', '--tools', 'throws.mjs'], 'invalid_tools'],
    ['a tools module that is no TypeScript', ['--var', 'must=x', '--tools', 'syntax.ts'], 'invalid_tools'],
    ['a tools module without tools', ['--var', 'must=x', '--tools', 'none.mjs'], 'invalid_tools'],
    ['two tools of one name', ['--var', 'must=x', '--tools', 'twice.mjs'], 'invalid_tools'],
    ['a configuration that is not there', ['--var', 'must=x', '--config', 'nowhere.yaml'], 'file_not_found'],
    ['a configuration that cannot be used', ['--var', 'must=x', '--config', 'agent.yaml'], 'invalid_config'],
    ['a model without a name', ['--var', 'must=x', '--model', 'openai/'], 'invalid_input']
  ] as const)('is refused before anything is written: %s', async ([, argv, code]) => {
    const folder = folderWith(FILES)
    expect((await refusalOf(folder, ['run', 'agent.yaml', ...argv], 2)).code).toBe(code)
    expect(existsSync(join(folder, '.holdfast'))).toBe(false)
  })

  test.for([
    ['an empty prompt', '', 'run', undefined],
    ['empty standard input', '-', 'run', ''],
    ['standard input that is not text', '-', 'run', new Uint8Array([0xff, 0xfe, 0x00])]
  ] as const)('is refused: %s', async ([, prompt, command, stdin]) => {
    const folder = folderWith(FILES)
    const argv = [command, 'agent.yaml', prompt, '--var', 'must=x']
    expect((await refusalOf(folder, argv, 2, stdin === undefined ? {} : { stdin })).code).toBe('invalid_input')
  })

  test('does not put the value of a secret into a message', async () => {
    const folder = folderWith({
      ...scriptedAgent([]),
      'agent.yaml': 'schemaVersion: "1.0"\nname: x\nmodel: { provider: openai, model: m }\n'
    })
    const told = await holdfast(folder, ['run', 'agent.yaml', 'x', '--json'], { env: { OPENAI_API_KEY: 'sk-very secret' } })
    expect(told.code).toBe(2)
    expect(told.stdout + told.stderr).not.toContain('very')
  })

  test.for([['resume'], ['show'], ['log'], ['cancel'], ['message']])(
    'is refused by %s when it is no id, and told when no thread has it',
    async ([command]) => {
      const folder = folderWith(scriptedAgent([{ text: 'ok' }]))
      await holdfast(folder, ['run', 'agent.yaml'])
      const rest = command === 'message' ? ['hello'] : []
      expect((await refusalOf(folder, [command ?? '', '../../etc/passwd', ...rest], 2)).code).toBe('invalid_input')
      expect((await refusalOf(folder, [command ?? '', 'thr_nowhere', ...rest], 2)).code).toBe('thread_not_found')
    }
  )
})

describe('a store that cannot be used', () => {
  const AGENT = scriptedAgent([{ text: 'ok' }])

  const LOOKING: readonly (readonly string[])[] = [
    ...['resume', 'show', 'log', 'cancel', 'retry', 'attach', 'wait', 'explain', 'rm', 'export'].map((command) => [command, 'thr_x']),
    ...[['threads'], ['usage'], ['message', 'thr_x', 'hello'], ['message', 'thr_x', 'hello', '--detach'], ['attach', 'thr_x', '--drive']],
    ...[
      ['chat', 'agent.yaml', 'thr_x', '--jsonl'],
      ['run', 'agent.yaml', 'hello', '--thread', 'thr_x']
    ],
    ...[
      ['store', 'check'],
      ['store', 'backup', 'copy.db'],
      ['store', 'vacuum']
    ]
  ]

  test.for(LOOKING.map((argv) => [argv] as const))('is looked for, never made, by %j, nor is its folder', async ([argv]) => {
    const folder = folderWith(AGENT)
    const before = readdirSync(folder)
    for (const store of [[], ['--store', 'own.db'], ['--store', 'mistyped/folder/own.db']]) {
      const told = await holdfast(folder, [...argv, ...store])
      expect(told).toMatchObject({ code: 6, stderr: expect.stringContaining('error[store_unavailable]') })
      expect(told.stderr).toContain(folder)
    }
    expect(readdirSync(folder)).toEqual(before)
  })

  test('is found by commands that look when the configuration is broken and cannot name it, and not when it may', async () => {
    const folder = folderWith(AGENT)
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml']))
    addFiles(folder, { 'holdfast.config.yaml': 'version: "1.0"\nmodels: [broken' })
    expect(await holdfast(folder, ['threads'])).toMatchObject({ code: 0, stdout: expect.stringContaining(thread) })
    expect((await holdfast(folder, ['show', thread])).code).toBe(0)
    expect((await refusalOf(folder, ['message', thread, 'hello', '--detach'], 2)).code).toBe('invalid_config')
    for (const key of ['store', '"st\\x6fre"']) {
      addFiles(folder, { 'holdfast.config.yaml': `version: "1.0"\n${key}: other.db\nmodels: [broken` })
      expect((await refusalOf(folder, ['threads'], 2)).code).toBe('invalid_config')
      addFiles(folder, { 'holdfast.config.yaml': `version: "1.0"\n${key}: other.db\n` })
      expect((await refusalOf(folder, ['threads'], 6)).details['path']).toBe(join(folder, 'other.db'))
    }
  })

  test('is left as it is when it is no store', async () => {
    const folder = folderWith({ ...AGENT, 'notes.txt': 'dear diary, nothing of this is a database' })
    const error = await refusalOf(folder, ['run', 'agent.yaml', '--store', 'notes.txt'], 6)
    expect(error.code).toBe('store_corrupt')
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toContain('dear diary')
  })

  test('is left as it is when it is the database of another program', async () => {
    const folder = folderWith(AGENT)
    const db = new DatabaseSync(join(folder, 'shop.db'))
    db.exec('CREATE TABLE orders (id INTEGER)')
    db.close()
    const before = readFileSync(join(folder, 'shop.db'))
    expect((await refusalOf(folder, ['run', 'agent.yaml', '--store', 'shop.db'], 6)).code).toBe('store_foreign')
    expect(readFileSync(join(folder, 'shop.db')).equals(before)).toBe(true)
  })

  test('is refused when a newer program wrote it, naming both versions', async () => {
    const folder = folderWith(AGENT)
    await holdfast(folder, ['run', 'agent.yaml', '--store', 'new.db'])
    const db = new DatabaseSync(join(folder, 'new.db'))
    db.exec('PRAGMA user_version = 9999')
    db.close()
    const error = await refusalOf(folder, ['threads', '--store', 'new.db'], 6)
    expect(error).toMatchObject({ code: 'store_newer', details: { found: 9999, known: expect.any(Number) } })
  })

  test('is told when its folder cannot be made', async () => {
    const folder = folderWith({ ...AGENT, file: '' })
    expect((await refusalOf(folder, ['run', 'agent.yaml', '--store', 'file/x.db'], 6)).code).toBe('store_unavailable')
    const broken = folderWith({ ...AGENT, '.holdfast': 'a file' })
    expect((await refusalOf(broken, ['run', 'agent.yaml'], 6)).code).toBe('store_unavailable')
  })

  test('is told when the configuration names none that can be used', async () => {
    const folder = folderWith({ ...AGENT, 'holdfast.config.json': '{ "version": "1.0", "store": { "env": "WHERE" } }' })
    expect((await refusalOf(folder, ['threads'], 2)).code).toBe('secret_missing')
    expect((await refusalOf(folder, ['threads'], 2, { env: { WHERE: 'postgres://host/db' } })).code).toBe('invalid_config')
    expect((await holdfast(folder, ['run', 'agent.yaml'], { env: { WHERE: 'x.db' } })).code).toBe(0)
    expect(existsSync(join(folder, 'x.db'))).toBe(true)
  })
})

describe('what is remembered of a thread', () => {
  test('is asked for when it is missing, and remembered again once it was given', async () => {
    const folder = folderWith(scriptedAgent([{ toolCalls: [{ name: 'stamp' }] }, { text: 'ok' }, { text: 'again' }], { tools: ['stamp'] }))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
    const memo = join(folder, `.holdfast/threads/${thread}.json`)
    addFiles(folder, { [`.holdfast/threads/${thread}.json`]: 'torn {' })
    const error = await holdfast(folder, ['message', thread, 'more', '--json'])
    expect(JSON.parse(error.stdout)).toMatchObject({ error: { code: 'thread_unplaceable', details: { missing: ['tool:stamp'] } } })
    expect(error).toMatchObject({ code: 2, stderr: expect.stringContaining('--tools FILE') })
    expect(await holdfast(folder, ['resume', thread, '--tools', 'tools.mjs'])).toMatchObject({ code: 0, stdout: 'again\n' })
    expect(JSON.parse(readFileSync(memo, 'utf8'))).toMatchObject({ tools: '../tools.mjs' })
  })
})

function TOOL_TWICE(): string {
  const tool = `{ name: 'same', description: '', input: { kind: 'json', jsonSchema: { type: 'object' } }, effect: 'read', parallelSafe: true, execute: () => 1 }`
  return `export const a = ${tool}\nexport const b = ${tool}\n`
}
