import type { JsonObject } from '@holdfast/runtime'
import type { Environment } from './env-file.ts'
import type { Output } from './output.ts'

/** What a person is told of a wait. Holds no secret: it is made from what is committed. */
export interface WaitMessage extends JsonObject {
  readonly type: 'wait.opened'
  /** When it was committed. */
  readonly timestamp: string
  readonly data: JsonObject & { readonly wait: string }
}

/** Tells somebody of one wait. Rejects when nobody was reached. */
export interface Notice extends Disposable {
  tell(message: WaitMessage): Promise<void>
}

/** What telling needs of the project. */
export interface NoticeOptions {
  /** In which a command runs: the folder of the configuration. */
  readonly folder: string
  readonly env: Environment
  readonly output: Pick<Output, 'progress'>
}
