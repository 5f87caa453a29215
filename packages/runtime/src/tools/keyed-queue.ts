/** Lets what has the same key run one after another. */
export type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Makes a queue that remembers a key only while something with it runs. */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(key, mine)
    const forget = () => {
      if (last.get(key) === mine) last.delete(key)
    }
    mine.then(forget, forget)
    return mine
  }
}
