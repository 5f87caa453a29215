import type { Clock } from '../contracts/clock.ts'
import type { TransientEvent } from '../contracts/event.ts'
import type { Grants } from '../contracts/grants.ts'
import type { Ms } from '../contracts/ids.ts'
import type { ModelResolver } from '../contracts/model.ts'
import type { CalledModel } from '../contracts/price.ts'
import type { SecretRegistry } from '../contracts/secrets.ts'
import type { Logger, Tool } from '../contracts/tool.ts'
import type { Cost, Usage } from '../contracts/usage.ts'
import type { PreparedPublication } from './prepare.ts'

/** What the effects need of the world. */
export interface EffectPorts {
  readonly clock: Clock
  readonly logger: Logger
  readonly models: ModelResolver
  /** What effects report and show passes it first (I14). */
  readonly secrets: SecretRegistry
  /** What a call costs. **Contract**: never rejects, and waits for nothing but the table; what is not known is `unknown`. */
  costOf(model: CalledModel, usage: Usage): Cost | Promise<Cost>
  /** The code of a tool of a publication by its identity, when this process has it. */
  tool(identity: string, publication: string): Tool | undefined
  prepared(publication: string): Promise<PreparedPublication>
  /** What a thread may do here today, of the record that it carries. Throws `grants_unreadable`. */
  grantsOf(record: unknown): Grants
  /** Shows something transient. Absent watchers cost nothing: ask `isWatched` before anything is built. */
  emit(event: TransientEvent): void
  isWatched(thread: string): boolean
  /** What running tools still get once the worker lets go. */
  toolGraceMs(): Ms
}
