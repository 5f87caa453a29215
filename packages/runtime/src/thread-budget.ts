// Keeps I12: whoever may not decide about a wait for budget sets none.
import type { MessageReceipt } from './contracts/receipt.ts'
import type { BudgetChange, BudgetStatus } from './contracts/budget.ts'
import { findBudgetFault } from './contracts/budget.ts'
import { HoldfastError } from './contracts/errors.ts'
import type { ThreadId } from './contracts/ids.ts'
import type { Json } from './contracts/json.ts'
import { assertMayDecide } from './decisions.ts'
import { readInfo } from './rest.ts'
import type { RuntimeCore } from './runtime-core.ts'
import { toBudgetStatus } from './state/budget.ts'
import { deliver, toItem } from './inbox-delivery.ts'

/** How a thread stands with its budget, as of its last commit. */
export async function readBudget(core: RuntimeCore, thread: ThreadId): Promise<BudgetStatus | null> {
  const { at } = await readInfo(core, thread)
  const { state } = await core.fold(thread)
  return toBudgetStatus(state, at)
}

/** Sends the thread a budget, which it takes at once, whatever it does. */
export async function extendBudget(core: RuntimeCore, thread: ThreadId, change: BudgetChange): Promise<MessageReceipt> {
  const fault = findBudgetFault(change, 'change')
  if (fault !== null) throw new HoldfastError('invalid_input', `the budget ${fault}`)
  const { root, path } = await readInfo(core, thread)
  // Asked as about a wait, also where none is open: else a budget could be had without.
  const open = (await core.store.waits({ tenant: core.tenant, thread })).items.find((wait) => wait.kind === 'budget')
  const asked = {
    id: `${thread}::budget:0`,
    thread,
    root,
    path,
    kind: 'budget',
    subject: null,
    digest: '',
    needed: 1,
    votes: [],
    state: 'open'
  } as const
  await assertMayDecide(core, open ?? asked)
  const kept = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Json
  const item = `budget:${core.ids.next(16)}`
  return { item, state: await deliver(core, toItem(core, thread, 'budget', item, kept)) }
}
