/**
 * Values that must not stand in anything that is kept or shown (I14), each under the name that is shown in its place: `[secret:NAME]`.
 *
 * A value is also found escaped as JSON, percent-encoded, as a form field, and in base64 and base64url wherever it begins in a group of three bytes. Of values that
 * overlap the longest gives the name. It is not found cut in two, in other cases, or in encodings that are not listed here.
 *
 * Give the same registry to `createRuntime` and to what resolves secrets. Values that are added later are looked for from then on.
 *
 * **Contract**: nothing throws; the time is linear in the text; without values nothing is done and nothing allocated.
 */
export interface SecretRegistry {
  /** How many values there are. */
  readonly size: number
  /**
   * Adds a value, without the space around it. False, and nothing is added, when it has fewer than 8 characters: those would be found where they
   * are only a part of a word. A value keeps the first name that it was given; a name may have several values.
   */
  add(name: string, value: string): boolean
  /** Whether a value stands in the text. */
  has(text: string): boolean
  /** The names of the values that stand in the text. */
  namesIn(text: string): readonly string[]
  /** The text without values: itself when there are none in it. */
  redact(text: string): string
  /** The same JSON value with texts, numbers and keys redacted; itself when there is nothing to do. Where a value is itself JSON no text is left. */
  redactJson<T>(value: T): T
  /** Redacts texts that are read one after the other, also where a value begins in one and ends in another. */
  redactAll(texts: readonly string[]): readonly string[]
  /** Redacts a text that comes in pieces. */
  stream(): SecretStream
}

/** A text that comes in pieces. What may be the beginning of a value is held back until the next pieces tell. */
export interface SecretStream {
  /** Takes a piece and gives what can be shown now. */
  push(piece: string): string
  /** Gives what is left. Nothing is pushed after it. */
  end(): string
}
