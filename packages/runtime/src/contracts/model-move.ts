/** Why a turn asks another model than the conversation asked before. */
export interface ModelMove {
  readonly from: string
  /** The code of the error for which that model is left aside; `back` when it only stood in; `replaced` when the thread asks it no more. */
  readonly why: string
  /** How many parts of earlier answers this model is not shown, or not as they came, because another provider made them for itself. */
  readonly withheld: number
}
