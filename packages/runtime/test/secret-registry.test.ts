import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSecretRegistry } from '../src/secrets.ts'
import { spelledIn, spellingsOf } from './secret-kit.ts'

const VALUE = 'p"a/s+s%w ö=r\\d&1'

function registryOf(...values: readonly string[]) {
  const secrets = createSecretRegistry()
  for (const [index, value] of values.entries()) secrets.add(`KEY_${index}`, value)
  return secrets
}

describe('a value', () => {
  test('is replaced by its name', () => {
    expect(registryOf('sk-0123456789').redact('the key sk-0123456789 and sk-0123456789.')).toBe(
      'the key [secret:KEY_0] and [secret:KEY_0].'
    )
  })

  test.each(spellingsOf(VALUE))('is found as %s', (spelling) => {
    const secrets = registryOf(VALUE)
    expect(secrets.has(`(${spelling})`)).toBe(true)
    expect(secrets.redact(`(${spelling})`)).not.toContain(spelling)
  })

  test('is found in credentials of basic authentication, whoever the user is', () => {
    const secrets = registryOf('correct horse battery')
    for (const user of ['', 'a', 'ab', 'abc', 'abcd']) {
      const header = btoa(`${user}:correct horse battery`)
      expect(Buffer.from(secrets.redact(header).replace(/\[.*\]/, ''), 'base64').toString()).not.toContain('horse')
    }
  })

  test('of fewer than 8 characters is not taken, and that is said', () => {
    const secrets = createSecretRegistry()
    expect(secrets.add('SHORT', 'ollama')).toBe(false)
    expect(secrets.add('SHORT', '  1234567\n')).toBe(false)
    expect(secrets.size).toBe(0)
    expect(secrets.redact('ollama')).toBe('ollama')
  })

  test('is taken without the space around it', () => {
    const secrets = createSecretRegistry()
    expect(secrets.add('KEY', ' sk-0123456789\n')).toBe(true)
    expect(secrets.redact('"sk-0123456789"')).toBe('"[secret:KEY]"')
  })

  test('keeps its first name; a name may have several values', () => {
    const secrets = createSecretRegistry()
    secrets.add('OLD', 'the first value')
    secrets.add('NEW', 'the first value')
    secrets.add('OLD', 'the second value')
    expect(secrets.size).toBe(2)
    expect(secrets.redact('the first value, the second value')).toBe('[secret:OLD], [secret:OLD]')
  })

  test('that contains another one gives the name, and no rest of it stays', () => {
    const secrets = registryOf('abcdefgh', 'cdefghijklmn', 'abcdefghij')
    expect(secrets.redact('<abcdefghijklmn>')).toBe('<[secret:KEY_1]>')
    expect(secrets.redact('<abcdefghij>')).toBe('<[secret:KEY_2]>')
    expect(secrets.redact('<abcdefgh>')).toBe('<[secret:KEY_0]>')
  })

  test('that is its own name, or looks like a mark, is still not shown', () => {
    const secrets = createSecretRegistry()
    secrets.add('OPENAI_API_KEY', 'OPENAI_API_KEY')
    secrets.add('MARK', '[secret]')
    secrets.add('"quoted" name', 'another value')
    expect(secrets.redact('OPENAI_API_KEY')).toBe('[hidden]')
    expect(secrets.redact('[secret]')).toBe('[secret:MARK]')
    expect(secrets.redact('another value')).toBe('[secret:_quoted__name]')
  })

  test('that is added later is found from then on', () => {
    const secrets = registryOf('the first value')
    expect(secrets.has('the second value')).toBe(false)
    secrets.add('SECOND', 'the second value')
    expect(secrets.namesIn('the second value, the first value, the second value')).toEqual(['SECOND', 'KEY_0'])
  })
})

describe('a JSON value', () => {
  const secrets = registryOf('sk-0123456789', '4711471147', '{"type":"account","key":"k"}')

  test('without secrets is given back as it is', () => {
    const value = { a: ['text', 1, null, { b: true }] }
    expect(secrets.redactJson(value)).toBe(value)
  })

  test('is redacted in texts, numbers and keys; the rest stays', () => {
    const value = { a: ['sk-0123456789', 4711471147, 47], 'sk-0123456789': { b: null }, ['__proto__']: 'sk-0123456789' }
    expect(JSON.stringify(secrets.redactJson(value))).toBe(
      '{"a":["[secret:KEY_0]","[secret:KEY_1]",47],"[secret:KEY_0]":{"b":null},"__proto__":"[secret:KEY_0]"}'
    )
  })

  test('is found where the secret itself is JSON', () => {
    const text = JSON.stringify(secrets.redactJson({ file: { type: 'account', key: 'k' } }))
    expect(text).not.toContain('account')
  })
})

describe('a text that comes in pieces', () => {
  test('is held back only where it may be the beginning of a value', () => {
    const stream = registryOf('sk-0123456789').stream()
    expect(['the key s', 'k', '-01234', 'no key', ' sk-0123456789', '.'].map((piece) => stream.push(piece))).toEqual([
      'the key ',
      '',
      '',
      'sk-01234no key',
      ' [secret:KEY_0]',
      '.'
    ])
    expect(stream.push('sk-')).toBe('')
    expect(stream.end()).toBe('sk-')
  })

  test('is held back where a longer value may follow', () => {
    const stream = registryOf('abcdefgh', 'abcdefghijkl').stream()
    expect(stream.push('abcdefgh')).toBe('')
    expect(stream.push('ij')).toBe('')
    expect(stream.push('!')).toBe('[secret:KEY_0]ij!')
  })

  test('passes untouched where nothing is registered', () => {
    const stream = createSecretRegistry().stream()
    expect([stream.push('sk-'), stream.push('0123456789'), stream.end()]).toEqual(['sk-', '0123456789', ''])
  })
})

describe('texts that are read one after the other', () => {
  test('stay as they are but for the value that goes over from one to the next', () => {
    const secrets = registryOf('sk-0123456789')
    expect(secrets.redactAll(['ends with s', 'k', 'not', 'sk-01', '23456', '789 is left', 'sk'])).toEqual([
      'ends with s',
      'k',
      'not',
      '[secret:KEY_0]',
      '',
      ' is left',
      'sk'
    ])
  })
})

describe('whatever the values and the text are', () => {
  // Few characters, so that values overlap; those that encodings change are among them.
  const character = fc.constantFrom(...'ab"\\/ %+é&=[]\n')
  const value = fc.string({ unit: character, minLength: 8, maxLength: 16 }).map((text) => text.trim())
  const values = fc.array(value, { minLength: 1, maxLength: 4 }).filter((list) => list.some((each) => each.length >= 8))
  /** Pieces of text, and numbers that stand for a spelling of a value or for most of one. */
  const pieces = fc.array(fc.oneof(fc.string({ unit: character, maxLength: 6 }), fc.nat(200)), { maxLength: 8 })

  function make(list: readonly string[], parts: readonly (string | number)[]) {
    const taken = list.filter((each) => each.length >= 8)
    const spellings = taken.flatMap(spellingsOf)
    const text = parts
      .map((part) => (typeof part === 'string' ? part : (spellings[part % spellings.length] ?? '').slice(part % 2)))
      .join('')
    return { taken, text, secrets: registryOf(...taken) }
  }

  test('no value is left in a text, in JSON, or in pieces', () => {
    fc.assert(
      fc.property(values, pieces, fc.array(fc.nat(12)), (list, parts, sizes) => {
        const { taken, text, secrets } = make(list, parts)
        expect(spelledIn(secrets.redact(text), taken)).toEqual([])
        expect(spelledIn(JSON.stringify(secrets.redactJson({ [text]: [text] })), taken)).toEqual([])
        // A mark may complete a value that itself holds a bracket; then nothing of a secret is shown.
        if (taken.some((each) => /[[\]]/.test(each))) return
        const cut = cutInto(text, sizes)
        const stream = secrets.stream()
        expect(spelledIn([...cut.map((piece) => stream.push(piece)), stream.end()].join(''), taken)).toEqual([])
        expect(spelledIn(secrets.redactAll(cut).join(''), taken)).toEqual([])
      }),
      { numRuns: 500 }
    )
  })

  test('a text without them is given back as it is, in pieces too', () => {
    fc.assert(
      fc.property(values, fc.string({ unit: 'grapheme', maxLength: 60 }), fc.array(fc.nat(12)), (list, text, sizes) => {
        const { taken, secrets } = make(list, [])
        fc.pre(spelledIn(text, taken).length === 0)
        const stream = secrets.stream()
        expect(secrets.redact(text)).toBe(text)
        expect([...cutInto(text, sizes).map((piece) => stream.push(piece)), stream.end()].join('')).toBe(text)
      }),
      { numRuns: 500 }
    )
  })

  test('of values that do not overlap, the same is hidden in pieces as in the whole', () => {
    // Where one ends and the next one begins, either name may stand for both.
    const nameless = (text: string): string => text.replace(/(?:\[secret:\w+\])+/g, '[secret]')
    const key = fc.stringMatching(/^[A-Za-z0-9]{20}$/)
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 3 }), pieces, fc.array(fc.nat(30)), (list, parts, sizes) => {
        const { text, secrets } = make(list, parts)
        const stream = secrets.stream()
        const shown = [...cutInto(text, sizes).map((piece) => stream.push(piece)), stream.end()].join('')
        expect(nameless(shown)).toBe(nameless(secrets.redact(text)))
      }),
      { numRuns: 500 }
    )
  })
})

function cutInto(text: string, sizes: readonly number[]): readonly string[] {
  const cut: string[] = []
  let from = 0
  for (const size of sizes) {
    cut.push(text.slice(from, from + size))
    from += size
  }
  return [...cut, text.slice(from)]
}
