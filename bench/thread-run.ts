/** What became of one thread. */
export interface ThreadRun {
  readonly durationMs: number
  /** When the model was asked, turn by turn. */
  readonly askedAt: readonly number[]
}

/** Milliseconds from the first time that the model is asked to the last: so many turns, without the start of the run and its end. */
export function turnsOf({ askedAt }: ThreadRun): number {
  return (askedAt.at(-1) ?? 0) - (askedAt[0] ?? 0)
}
