import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { toCallResult } from '../src/effects/tool-result.ts'
import { createSecretRegistry } from '../src/secrets.ts'

class Account {
  readonly #owner = 'ann'
  get owner(): string {
    return this.#owner
  }
}
class Own {
  readonly total = Number.NaN
  readonly deep = { a: 1, toJSON: undefined }
  toJSON(): this {
    return this
  }
}
class Entry {
  readonly amount = 12
}
const circular: { self?: unknown } = {}
circular.self = circular

const resultOf = (value: unknown) => toCallResult(value, createSecretRegistry())

describe('what a tool returns', () => {
  test.each<[string, unknown, unknown]>([
    ['plain data', { a: [1, 'x', null, true], b: { c: undefined } }, { a: [1, 'x', null, true], b: {} }],
    ['nothing in a list', [undefined], [null]],
    ['empty ones', { a: {}, b: [], c: Object.create(null) }, { a: {}, b: [], c: {} }],
    ['an empty object of another realm', runInNewContext('({ a: {}, b: [] })'), { a: {}, b: [] }],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['an address', new URL('https://example.com/a'), 'https://example.com/a'],
    ['an instance with fields', new Entry(), { amount: 12 }],
    ['bytes', Buffer.from('ab'), { type: 'Buffer', data: [97, 98] }],
    ['boxed values', [Object(1), Object(false), Object('')], [1, false, '']],
    ['what an object can do', { paid: true, undo() {}, [Symbol('x')]: 1, mark: Symbol('y') }, { paid: true }],
    ['what gives its own JSON', { toJSON: () => ({ deep: 1 }) }, { deep: 1 }]
  ])('is kept as JSON has it: %s', (_, value, kept) => {
    expect(resultOf(value)).toEqual({ value: kept })
  })

  test.each<[string, unknown, unknown]>([
    ['a map', { prices: new Map([['a', 1]]) }, { prices: [['a', 1]] }],
    ['a map in a map', new Map([['a', new Map([[1, new Set(['x'])]])]]), [['a', [[1, ['x']]]]]],
    ['a set', new Set(['a', 'b']), ['a', 'b']],
    ['numbers that are none', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], ['NaN', 'Infinity', '-Infinity']],
    ['a number that is none', Number.NaN, 'NaN'],
    ['a big number', { cents: 12_345_678_901_234_567_890n }, { cents: '12345678901234567890' }],
    ['an error', { failed: new TypeError('no such account') }, { failed: 'TypeError: no such account' }],
    ['what nobody waited for', { page: Promise.resolve(1) }, { page: '[Promise]' }],
    ['an answer of the network', new Response('x'), '[Response]'],
    ['an instance of which nothing is seen', { account: new Account() }, { account: '[Account]' }],
    ['an expression', /a+/, '[RegExp]']
  ])('is not lost where JSON has nothing for it: %s', (_, value, kept) => {
    expect(resultOf(value)).toEqual({ value: kept })
  })

  test.each<[string, unknown, unknown]>([
    ['what refers to itself', circular, { self: '[refers to itself]' }],
    ['a map that holds what refers to itself', new Map([['self', circular]]), [['self', { self: '[refers to itself]' }]]],
    ['a function', () => 1, '[function]'],
    ['a function in a list', [() => 1], ['[function]']],
    ['a symbol', Symbol('x'), '[Symbol(x)]'],
    ['a date that is none', { at: new Date(Number.NaN) }, { at: 'Invalid Date' }],
    ['an error with fields', Object.assign(new Error('not there'), { code: 'ENOENT' }), { '[Error]': 'Error: not there', code: 'ENOENT' }],
    ['a map with fields', Object.assign(new Map([['a', 1]]), { page: 2 }), { '[Map]': [['a', 1]], page: 2 }],
    [
      'bytes that are no Buffer',
      { page: new Uint8Array([1, 2]), view: new DataView(new ArrayBuffer(1)), raw: new Uint8Array([3]).buffer },
      { page: [1, 2], view: [0], raw: [3] }
    ],
    [
      'why an error came',
      new Error('not paid', { cause: new TypeError('no account') }),
      { '[Error]': 'Error: not paid', cause: 'TypeError: no account' }
    ],
    [
      'the errors of an error',
      new AggregateError([new Error('a'), new Error('b')], 'all failed'),
      { '[AggregateError]': 'AggregateError: all failed', errors: ['Error: a', 'Error: b'] }
    ],
    ['a map of another realm', runInNewContext('[new Map([[1, 2]]), new Date(NaN)]'), [[[1, 2]], 'Invalid Date']],
    ['what gives itself as its JSON', new Own(), { total: 'NaN', deep: { a: 1 } }],
    ['what its own JSON does not hold', { toJSON: () => ({ prices: new Map([['a', 1]]) }) }, { prices: [['a', 1]] }]
  ])('says what cannot be kept, and keeps the rest: %s', (_, value, kept) => {
    expect(resultOf(value)).toEqual({ value: kept })
  })

  test('keeps the rest of what throws when it is looked at', () => {
    const value = {
      paid: true,
      get receipt() {
        throw new Error('not here')
      },
      note: {
        toJSON() {
          throw new Error('nor here')
        }
      }
    }
    expect(resultOf(value)).toEqual({ value: { paid: true, receipt: '[cannot be read: not here]', note: '[cannot be read: nor here]' } })
  })

  test('is a hold on something, and no data, where an instance refers back to itself', () => {
    class Connection {
      readonly authorization = 'Bearer of much'
      readonly request: { readonly connection: Connection } = { connection: this }
    }
    class Holder {
      readonly name = 'holder'
      readonly connection = new Connection()
    }
    expect(resultOf({ paid: true, answer: new Connection() })).toEqual({ value: { paid: true, answer: '[Connection]' } })
    expect(resultOf(new Holder())).toEqual({ value: { name: 'holder', connection: '[Connection]' } })
    const failure = Object.assign(new Error('not there'), { request: {} })
    failure.request = { failure, secret: 'much' }
    expect(resultOf(failure)).toEqual({ value: 'Error: not there' })
  })

  test('is not written out whole where that is more than anybody reads', () => {
    for (const many of [
      new Uint8Array(4_000_000),
      Buffer.alloc(4_000_000),
      new Set(Array.from({ length: 400_000 }, (_, index) => index))
    ]) {
      const text = String((resultOf(many) as { readonly value: unknown }).value)
      expect(text).toMatch(/\[cut: the first 100000 of (5|9|1[0-9])\d{5} characters\]$/)
    }
    const lists = Array.from({ length: 300_000 }, () => [1n])
    expect(toCallResult(lists, createSecretRegistry(), 10_000_000)).toMatchObject({
      value: expect.arrayContaining(['[left out: too much]'])
    })
  })

  test('that is shared by two fields is written for both', () => {
    const shared = { a: Number.NaN }
    expect(resultOf([shared, shared])).toEqual({ value: [{ a: 'NaN' }, { a: 'NaN' }] })
  })

  test('comes to an end where every object refers to every other', () => {
    const nodes = Array.from({ length: 30 }, (): { others: unknown[] } => ({ others: [] }))
    for (const node of nodes) node.others.push(...nodes)
    expect(resultOf(nodes)).toHaveProperty('value')
  })

  test('is refused where it is nested too deep, also within a map', () => {
    let deep: unknown = 1
    for (let level = 0; level < 600; level++) deep = [deep]
    for (const value of [deep, { deep: new Map([[1, deep]]) }]) {
      expect(resultOf(value)).toEqual({ error: expect.stringContaining('nested deeper') })
    }
  })
})
