/** A seeded source of chance: the same seed makes the same schedule. */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number
  /** A whole number from `min` to `max`, both possible. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
}

/** Makes a source of chance (mulberry32). */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e37_79b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] ?? list[0]
  }
}
