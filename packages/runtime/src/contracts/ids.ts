// Everything inside a fact is relative to its thread, so that a log can be forked, copied and imported unchanged.

/** `thr_`, ten characters of the root's tag, then the thread's own part: the id alone names the shard. */
export type ThreadId = string
/** `run_…`, chosen by the sender of the item that starts the run. */
export type RunId = string
/** The path of a step; the empty string is the root. Segments are percent-encoded ids, `[n]` the iteration. */
export type Scope = string
/** `run/scope/n`; n counts per run and scope from 1, turn 0 holds the injected calls. */
export type TurnId = string
/** `turn.position`. The idempotency key given to tools is `thread:call`, and `thread:call:leg` from leg 2 on. */
export type CallId = string
/** `thread:(call|scope|turn):kind:n`; n is the fold's count, so that the id is stable over crashes. */
export type WaitId = string
/** The sender's id, or one derived from what is reported (`decide:` + wait, `report:` + child + run, …). */
export type ItemId = string
/** `sha256:` and 64 hexadecimal digits. */
export type Digest = string
/** A duration in milliseconds, or a point on the store's clock (milliseconds since 1970); never a worker's clock. */
export type Ms = number

/** Who does something. Stamped by the API from the caller's identity, never read from a body. */
export type Principal = { readonly kind: 'person' | 'host' | 'agent' | 'runtime'; readonly id: string }

/** The tenant of whoever names none. */
export const DEFAULT_TENANT = 'default'
