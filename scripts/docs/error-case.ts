/** Where people meet an error, and how its message reads there. */
export interface ErrorCase {
  /** Each begins with what was done. */
  readonly when: readonly string[]
  /** A message of the code as it stands today; `…` stands for what differs. */
  readonly message: string
}
