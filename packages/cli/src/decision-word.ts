import { Failure } from './failure.ts'
import { loadRuntime } from './libraries.ts'

/** What a command takes as its word. */
export interface DecisionWords<Meaning> {
  readonly words: { readonly [word: string]: Meaning }
  /** What the word says, as the beginning of a sentence. */
  readonly about: string
  /** A line of the command that is right. */
  readonly example: string
}

/** What a word means. Throws `invalid_input`: it is missing, or it is none of those that are known. */
export async function readDecisionWord<Meaning>(
  word: string | undefined,
  { words, about, example }: DecisionWords<Meaning>
): Promise<Meaning> {
  const meaning = word !== undefined && Object.hasOwn(words, word) ? words[word] : undefined
  if (meaning !== undefined) return meaning
  const known = Object.keys(words)
  const remedy = `Say it behind the id, as in \`${example}\`.`
  // One word alone may be the id, and what is said about it may be missing.
  if (word === undefined || /^thr_|:/.test(word)) {
    throw new Failure('invalid_input', `${about} is missing: expected ${known.join(', ')}.`, { remedy })
  }
  const { nearest } = await loadRuntime()
  const [near] = nearest(word, known)
  const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
  throw new Failure('invalid_input', `${JSON.stringify(word.slice(0, MAX_SHOWN))} is none of ${known.join(', ')}.${meant}`, {
    details: near === undefined ? {} : { nearMiss: near },
    remedy
  })
}

const MAX_SHOWN = 100
