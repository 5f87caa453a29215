import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { TurnId } from '../contracts/ids.ts'
import type { InjectedPrompt } from '../contracts/initial-prompt.ts'

/** The initial prompts of a thread, as long as their calls are not over. */
export interface InitialPrompts {
  /** The turn of all their calls. */
  readonly turn: TurnId
  readonly prompts: readonly InjectedPrompt[]
  /** The first that has not been placed. */
  next: number
  /** Calls so far: they are numbered through. */
  calls: number
  /** One of the calls has waited: the prompts behind it are left out. */
  isHeld: boolean
  /** What was said meanwhile. */
  readonly behind: LanguageModelV4Message[]
}
