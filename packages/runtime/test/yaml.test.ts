import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseYaml } from '../src/manifest/parse-yaml.ts'

const read = async (text: string, file = 'a.yaml') => {
  const { value, errors } = await parseYaml(text, file)
  return { value, errors: errors.map(({ code, line, column, path }) => `${code} ${line}:${column} ${path}`.trim()) }
}

describe('plain values of YAML', () => {
  // B063
  test.each<[string, unknown]>([
    ['NO', 'NO'],
    ['no', 'no'],
    ['on', 'on'],
    ['yes', 'yes'],
    ['y', 'y'],
    ['12:30:00', '12:30:00'],
    ['2024-01-01', '2024-01-01'],
    ['1.10', 1.1],
    ['01234', 1234],
    ['012', 12],
    ['0o12', 10],
    ['0x1F', 31],
    ['1e3', 1000],
    ['-0', 0],
    ['null', null],
    ['~', null],
    ['', null],
    ['True', true],
    ['0b1', '0b1'],
    ['1_000', '1_000'],
    ['"12345678901234567890"', '12345678901234567890'],
    ['9007199254740991', 9007199254740991]
  ])('reads %s as %j', async (text, expected) => {
    expect(await read(`x: ${text}`)).toEqual({ value: { x: expected }, errors: [] })
  })

  // B063
  test.each(['12345678901234567890', '-9007199254740992', '0xFFFFFFFFFFFFFFFF'])('refuses %s, which would be rounded', async (text) => {
    expect((await read(`x: ${text}`)).errors).toEqual(['number_unsafe 1:4 x'])
  })

  // B108
  test.each(['.inf', '-.Inf', '.nan', '1e999'])('refuses %s, which is not finite', async (text) => {
    expect((await read(`x: ${text}`)).errors).toEqual(['number_infinite 1:4 x'])
  })

  // B063
  test('keeps plain values as they were written for where a text is meant', async () => {
    const document = await parseYaml('v: 1.10\nzip: 01234\nq: "1"\nlist: [on, 1e3]\n', 'a.yaml')
    expect(document.sourceAt(['v'])).toBe('1.10')
    expect(document.sourceAt(['zip'])).toBe('01234')
    expect(document.sourceAt(['q'])).toBeUndefined()
    expect(document.sourceAt(['list', 1])).toBe('1e3')
    expect(document.sourceAt(['nothing'])).toBeUndefined()
  })

  test('takes every key for a text', async () => {
    expect((await read('1: a\nnull: b\ntrue: c\n1.10: d')).value).toEqual({ 1: 'a', null: 'b', true: 'c', '1.10': 'd' })
  })

  test('refuses half of a surrogate pair, and reads both halves as one letter', async () => {
    expect(await read('x: "\\ud83d\\ude00"')).toEqual({ value: { x: '😀' }, errors: [] })
    expect((await read('x: "a\\ud83d"\n"\\ude00": 1')).errors).toEqual(['text_ill_formed 1:4 x', 'text_ill_formed 2:1 ["\\ude00"]'])
  })
})

describe('what a document may not hold', () => {
  // B063
  test('names both places of a duplicate key', async () => {
    const { errors } = await parseYaml('step:\n  prompt: a\n  name: b\n  prompt: c\n', 'a.yaml')
    expect(errors).toMatchObject([{ code: 'duplicate', line: 4, column: 3, path: 'step.prompt', related: { line: 2, column: 3 } }])
  })

  // B064
  test.each(['__proto__', 'prototype', 'constructor'])('refuses the key %s, in data too', async (key) => {
    const { value, errors } = await read(`a:\n  - {"${key}": {polluted: true}}`)
    expect(errors).toEqual([`reserved_key 2:6 a[0].${key}`])
    expect(value).toEqual({ a: [{}] })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  // B064
  test('takes names of Object.prototype for plain keys', async () => {
    expect(await read('toString: 1\nhasOwnProperty: 2')).toEqual({ value: { toString: 1, hasOwnProperty: 2 }, errors: [] })
  })

  // B062
  test('refuses merge keys, and takes a quoted one for a key', async () => {
    expect((await read('a: &a {x: 1}\nb:\n  <<: *a')).errors).toEqual(['merge_key 3:3 b["<<"]'])
    expect((await read('"<<": 1')).value).toEqual({ '<<': 1 })
  })

  test('refuses tags, each in its place', async () => {
    expect((await read('a: !!str 1\nb: !own x\nc: !!binary aGk=\nd: ! x')).errors).toEqual(['tag 1:4', 'tag 2:4', 'tag 3:4', 'tag 4:4'])
  })

  test('refuses a second document and directives', async () => {
    expect((await read('a: 1\n---\nb: 2')).errors).toEqual(['multiple_documents 2:1'])
    expect((await read('%YAML 1.1\n---\na: no')).errors).toEqual(['directive 1:1'])
    expect(await read('%YAML 1.2\n---\na: no\n...\n')).toEqual({ value: { a: 'no' }, errors: [] })
  })

  test('says that a tab indents', async () => {
    expect((await read('a:\n\tb: 1')).errors).toEqual(['tab_indent 2:1'])
  })

  test.each([
    ['a list, before the next key', 'name: a\ntools: [x\nlimits: 3\n', ['syntax 2:8']],
    ['a list, at the end', 'name: a\ntools: [x\n', ['syntax 2:8']],
    ['an object', 'a:\n  b: {c: 1\n', ['syntax 2:6']],
    ['two lists', 'a: [x, [y\n', ['syntax 1:4', 'syntax 1:8']],
    ['an object in a list that is', 'a: [x, {b: 1]\nc: 3\n', ['syntax 1:8']],
    ['the whole document', '[a, b', ['syntax 1:1']],
    ['a text', 'a: 1\nb: "x\nc: 2\n', ['syntax 2:4']],
    ['a text in single quotes', "b: 'x\n", ['syntax 1:4']]
  ])('says where what is not closed was opened: %s', async (_, text, errors) => {
    expect((await read(text)).errors).toEqual(errors)
  })

  test('takes lists that are closed at the margin', async () => {
    expect(await read('a: [\n  "x]", {b: "\\""}\n]\n')).toEqual({ value: { a: ['x]', { b: '"' }] }, errors: [] })
  })

  test('refuses keys that are no text or missing', async () => {
    expect((await read('? [a]\n: b')).errors).toEqual(['syntax 1:3'])
    expect((await read('x:\n  : a')).errors).toEqual(['missing_key 2:3 x[""]'])
  })

  test('tells several faults at once', async () => {
    const { errors } = await read('a: 1\na: 2\nb: .inf\nc: *none\n__proto__: 1')
    expect(errors).toEqual(['duplicate 2:1 a', 'number_infinite 3:4 b', 'alias_unknown 4:4 c', 'reserved_key 5:1 __proto__'])
  })
})

describe('aliases', () => {
  // B062
  test('stand for the value of their anchor, sixty times too', async () => {
    const aliases = Array.from({ length: 60 }, (_, index) => `k${index}: *a`)
    const { value, errors } = await read(['a: &a [1, {b: 2}]', ...aliases].join('\n'))
    expect(errors).toEqual([])
    expect(value).toMatchObject({ k0: [1, { b: 2 }], k59: [1, { b: 2 }] })
  })

  test('mean the nearest anchor before them', async () => {
    expect((await read('a: &x 1\nb: *x\nc: &x 2\nd: *x')).value).toEqual({ a: 1, b: 1, c: 2, d: 2 })
  })

  // B062
  test('may not make a cycle', async () => {
    expect((await read('a: &a {x: *a}')).errors).toEqual(['alias_cycle 1:11 a.x'])
    expect((await read('&a [*a]')).errors).toEqual(['alias_cycle 1:5 [0]'])
  })

  // B062
  test('may not make a document huge: nodes', async () => {
    const bomb = [...'bcdefgh'].map(
      (name, index) =>
        `${name}: &${name} [${Array(9)
          .fill(`*${'abcdefg'.charAt(index)}`)
          .join(', ')}]`
    )
    const { errors } = await read(['a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]', ...bomb].join('\n'))
    expect(errors).toEqual(['too_large 6:8 f[0]'])
  })

  // B062
  test('may not make a document huge: characters', async () => {
    const aliases = Array.from({ length: 20 }, (_, index) => `k${index}: *s`)
    const { errors } = await read([`s: &s ${'x'.repeat(1_000_000)}`, ...aliases].join('\n'))
    expect(errors).toEqual(['too_large 9:5 k7'])
  })

  test('may not make a document too deep', async () => {
    const open = '['.repeat(70)
    const close = ']'.repeat(70)
    expect((await read(`a: &a ${open}${close}\nb: ${open}*a${close}`)).errors[0]).toMatch(/^too_deep 2:74 /)
  })
})

describe('bounds', () => {
  // B062
  test.each<[string, string]>([
    ['brackets', '['.repeat(5_000) + ']'.repeat(5_000)],
    ['braces', '{a: '.repeat(5_000)],
    ['dashes', '- '.repeat(5_000)],
    ['question marks', '? '.repeat(5_000)],
    ['indents', Array.from({ length: 500 }, (_, index) => `${' '.repeat(index)}a:`).join('\n')]
  ])('hold against deep nesting of %s', async (_, text) => {
    const { value, errors } = await read(text)
    expect(errors[0]).toMatch(/^too_deep 1:|^too_deep 129:/)
    expect(errors).toHaveLength(1)
    expect(value).toBeUndefined()
  })

  test('allow 128 levels and no more', async () => {
    expect((await read('['.repeat(128) + ']'.repeat(128))).errors).toEqual([])
    expect((await read('['.repeat(129) + ']'.repeat(129))).errors).toEqual(['too_deep 1:129'])
  })

  // B062
  test('allow 99,999 keys, which are compared with each other in linear time', async () => {
    const lines = Array.from({ length: 99_998 }, (_, index) => `k${index}: ${index}`)
    const { errors } = await read([...lines, 'k0: 1'].join('\n'))
    expect(errors).toEqual(['duplicate 99999:1 k0'])
  })

  test('refuse more than 100,000 nodes and more than 8,388,608 characters', async () => {
    expect((await read(`[${'1,'.repeat(100_001)}]`)).errors).toEqual(['too_large 1:1'])
    expect((await read('x'.repeat(8_388_609))).errors).toEqual(['too_large 1:1'])
  })
})

describe('places', () => {
  test('of values, keys and what is missing', async () => {
    const document = await parseYaml('a: &x {b: 1}\nc:\n  - d: *x\n    "e f":\n      g\n', 'a.yaml')
    expect(document.at(['c', 0, 'e f'])).toEqual({ line: 5, column: 7 })
    expect(document.keyAt(['c', 0, 'e f'])).toEqual({ line: 4, column: 5 })
    expect(document.at(['c', 0, 'd', 'b'])).toEqual({ line: 1, column: 11 })
    expect(document.at(['c', 0, 'nothing', 'below'])).toEqual({ line: 3, column: 5 })
    expect(document.at([])).toEqual({ line: 1, column: 1 })
  })

  test('do not count a byte-order mark', async () => {
    expect((await read('\ufeffa: *x')).errors).toEqual(['alias_unknown 1:4 a'])
  })

  test('count lines that end with a carriage return, too', async () => {
    expect((await read('a: 1\r\nb: *x\r\n')).errors).toEqual(['alias_unknown 2:4 b'])
  })
})

describe('any text', () => {
  test('gives a value or says what is wrong, and never throws', async () => {
    const words = fc.constantFrom(
      ...[
        'a',
        ' ',
        '\n',
        ': ',
        '- ',
        '? ',
        '[',
        ']',
        '{',
        '}',
        ',',
        '&a ',
        '*a',
        '!t ',
        '"',
        "'",
        '|\n',
        '>',
        '#',
        '%',
        '\t',
        '---',
        '<<',
        '0x',
        '\ufeff',
        '\ud800'
      ]
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words, { maxLength: 60 }).map((parts) => parts.join(''))
    )
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('a.yaml', 'a.json'), async (source, file) => {
        const { value, errors } = await parseYaml(source, file)
        if (value === undefined) expect(errors).not.toEqual([])
        else expect(JSON.parse(JSON.stringify(value))).toEqual(value)
        const lines = source.split('\n').length
        expect(errors.every(({ line, column }) => line >= 1 && line <= lines && column >= 1)).toBe(true)
      }),
      { numRuns: 2_000 }
    )
  })
})
