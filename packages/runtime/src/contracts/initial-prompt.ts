import type { JsonObject } from './json.ts'

/** A call that a definition has made before its agent is asked for the first time. Templates in texts of its arguments are rendered. */
export interface InitialCall {
  /** One of the definition's tools. */
  readonly tool: string
  /** Default: none. */
  readonly arguments?: JsonObject
}

/** What stands in front of the first message of a thread: a text, then calls with their results. At least one of the two. */
export interface InitialPrompt {
  /** Who speaks. What `system` says joins the system prompt. Default `user`. */
  readonly role?: 'system' | 'user'
  /** A template. */
  readonly prompt?: string
  readonly toolCalls?: readonly InitialCall[]
}

/** An initial prompt, rendered. */
export interface InjectedPrompt {
  /** Absent: the user. */
  readonly role?: 'system'
  readonly text?: string
  /** `input` is the text of the arguments, as a model would have written it. */
  readonly calls?: readonly { readonly tool: string; readonly input: string }[]
}
