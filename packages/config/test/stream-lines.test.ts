import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonFollower } from '../src/json-progress.ts'
import { createLineReader } from '../src/stream-lines.ts'

function linesOf(pieces: readonly string[], maxLength = 1000): readonly string[] {
  const lines: string[] = []
  const reader = createLineReader(
    (line) => lines.push(line),
    maxLength,
    () => {
      throw new RangeError('too long')
    }
  )
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return lines
}

const text = fc.array(fc.constantFrom('a', 'b:', '\r', '\n', '\r\n', '\u{1F600}'), { maxLength: 30 }).map((parts) => parts.join(''))

// B011
test('the lines of a text are the same in whatever pieces it comes', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(40), { maxLength: 10 }), (whole, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length]
      const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end))
      const expected = whole.split(/\r\n|\r|\n/)
      if (expected.at(-1) === '') expected.pop()
      expect(linesOf(pieces)).toEqual(expected)
    })
  )
})

test('a line past the limit is refused before it is complete', () => {
  expect(() => linesOf(['x'.repeat(600), 'x'.repeat(600)])).toThrow(RangeError)
  expect(linesOf(['x'.repeat(600), '\n', 'x'.repeat(600)])).toHaveLength(2)
})

test('a JSON object is known to be complete exactly at its last character', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const json = ` ${JSON.stringify(value)}`
      const follower = createJsonFollower()
      for (const character of json.slice(0, -1)) {
        follower.push(character)
        expect(follower.progress()).not.toBe('complete')
      }
      follower.push(json.slice(-1))
      expect(follower.progress()).toBe('complete')
    })
  )
})
