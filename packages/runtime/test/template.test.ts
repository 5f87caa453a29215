import { describe, expect, test } from 'vitest'
import type { Json } from '../src/contracts/json.ts'
import { compileTemplate, parseTemplate } from '../src/manifest/template.ts'
import { refusalOf } from './refusal.ts'

const render = async (text: string, values: { readonly [key: string]: Json } = {}) => (await compileTemplate(text)).render(values)

describe('a template', () => {
  // B066
  test.each<[string, Json, string]>([
    ['a text', 'x', 'x'],
    ['zero', 0, '0'],
    ['false', false, 'false'],
    ['null', null, ''],
    ['an empty text', '', ''],
    ['an object', { x: [1, null] }, '{"x":[1,null]}'],
    ['a list', ['a', 1], '["a",1]']
  ])('renders %s', async (_, value, expected) => {
    expect(await render('<{{ it }}>', { it: value })).toBe(`<${expected}>`)
  })

  // B066
  test.each(['{{ missing }}', '{{ text.below }}', '{{ order.x.y }}', '{{ list.9 }}', '{{ list.first }}'])(
    'renders nothing for %s',
    async (text) => {
      expect(await render(text, { text: 'x', order: { id: 1 }, list: [1] })).toBe('')
    }
  )

  test('follows paths, with items by index', async () => {
    expect(await render('{{order.items.1.name}}', { order: { items: [{}, { name: 'second' }] } })).toBe('second')
  })

  // B068
  test('finds the exact name first, then one in another case or composition', async () => {
    expect(await render('{{ key }} {{ KEY }} {{ kEy }}', { Key: 'b', key: 'a', KEY: 'c' })).toBe('a c b')
    expect(await render('{{ caf\u00e9 }}', { 'cafe\u0301': 'x' })).toBe('x')
    expect(await render('{{ x-y }} {{ größe }}', { 'x-y': 1, größe: 2 })).toBe('1 2')
  })

  // B064
  test.each([
    ...['{{ o.toString }}', '{{ o.constructor.name }}', '{{ o.__proto__ }}', '{{ toString }}', '{{ hasOwnProperty }}'],
    ...['{{ l.length }}', '{{ l.size }}', '{{ t.length }}', '{{ o.size }}']
  ])('reads own properties only: nothing for %s', async (text) => {
    expect(await render(text, { o: { a: 1 }, l: [1, 2], t: 'abc' })).toBe('')
  })

  // B066
  test('does not render what a value holds', async () => {
    expect(await render('{{ a }}', { a: '{{ b }}', b: 'secret' })).toBe('{{ b }}')
  })

  test('has no tags', async () => {
    expect(await render('{% if a %}{{ a }}{% endif %}{% raw %}', { a: 1 })).toBe('{% if a %}1{% endif %}{% raw %}')
  })

  test('leaves a text without braces as it is', async () => {
    expect(await render('}} { x } %}')).toBe('}} { x } %}')
  })

  test('bounds what it renders', async () => {
    const template = await compileTemplate('{{ a }}'.repeat(20))
    await refusalOf('value_too_large', () => template.render({ a: 'x'.repeat(1_000_000) }))
  })
})

describe('filters', () => {
  test.each<[string, string]>([
    ['none | default: "x\\"y"', 'x"y'],
    ["nil_ | default: 'x'", 'x'],
    ['empty_ | default: name', 'Ada'],
    ['no | default: "x"', 'false'],
    ['zero | default: 1', '0'],
    ['order | json', '{"id":1}'],
    ['name | json', '"Ada"'],
    ['none | json', 'null'],
    ['name | upcase', 'ADA'],
    ['name | downcase', 'ada'],
    ['padded | strip', 'x'],
    ['long | truncate: 5', 'ab...'],
    ['long | truncate: 5, ""', 'abcde'],
    ['long | truncate', 'abcdefgh'],
    ['emoji | truncate: 2, ""', 'a'],
    ['list | size', '3'],
    ['name | size', '3'],
    ['none | size', '0'],
    ['list | first', 'a'],
    ['list | last | json', '{"b":1}'],
    ['list | join: ", "', 'a, 2, {"b":1}'],
    ['order | upcase', '{"ID":1}'],
    ['name|upcase|downcase|truncate:2,""', 'ad']
  ])('%s', async (expression, expected) => {
    const list = ['a', 2, { b: 1 }]
    const values = {
      name: 'Ada',
      nil_: null,
      empty_: '',
      no: false,
      zero: 0,
      order: { id: 1 },
      padded: ' x\n',
      long: 'abcdefgh',
      emoji: 'a😀',
      list
    }
    expect(await render(`{{ ${expression} }}`, values)).toBe(expected)
  })
})

describe('what a template may not hold', () => {
  test.each<[string, number]>([
    ['{{ a b }}', 3],
    ['x {{ a', 2],
    ['{{ }}', 3],
    ['{{{ a }}}', 2],
    ['{{- a -}}', 2],
    ['{{ a. }}', 3],
    ['{{ .a }}', 3],
    ['{{ a..b }}', 3],
    ['{{ a[0] }}', 3],
    ['{{ a["b"] }}', 3],
    ['{{ vars["constructor"]["constructor"] }}', 3],
    ['{{ "text" }}', 3],
    ['{{ 1 }}', 3],
    ['{{ (1..3) }}', 3],
    ['{{ a == b }}', 3],
    ['{{ true }}', 3],
    ['{{ a | }}', 3],
    ['{{ a | upcase b }}', 3],
    ['{{ a | date: "%Y" }}', 3],
    ['{{ a | default }}', 3],
    ['{{ a | upcase: 1 }}', 3],
    ['{{ a | default: 1, allow_false: true }}', 3],
    [`{{ ${'a.'.repeat(600)}b }}`, 3]
  ])('%s', async (text, offset) => {
    const parsed = await parseTemplate(text)
    expect(parsed.ok ? [] : parsed.faults.map((fault) => fault.offset)).toEqual([offset])
    await refusalOf('invalid_manifest', () => compileTemplate(text))
  })

  test('is told all at once, with the filter that was meant', async () => {
    const parsed = await parseTemplate('{{ a | upcas }} {{ b c }}')
    expect(parsed.ok ? [] : parsed.faults).toMatchObject([{ offset: 3, nearMiss: 'upcase' }, { offset: 19 }])
  })
})

describe('references', () => {
  test('name what a template reads, in arguments of filters too', async () => {
    const template = await compileTemplate('Hi {{ user.name | default: guest.0 }} {{ x | json }}')
    expect(template.references).toEqual([
      { path: ['user', 'name'], offset: 6 },
      { path: ['guest', '0'], offset: 6 },
      { path: ['x'], offset: 41 }
    ])
  })
})
