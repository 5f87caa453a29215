// Keeps I10 and I12: only a person or the host sets a budget; whatever waited for one is judged anew.
import type { BudgetChange } from '../contracts/budget.ts'
import { changeBudget } from '../contracts/budget.ts'
import type { Fact } from '../contracts/fact.ts'
import type { Taken } from '../contracts/heart.ts'
import type { Json } from '../contracts/json.ts'
import type { InboxItem } from '../contracts/store.ts'
import { budgetOf } from './budget.ts'
import { readBudgetChange, readExtension } from './decision.ts'
import type { State } from './state.ts'
import { isActive } from './state.ts'

/** A budget that was sent to the thread: it holds from now on, and ends the waits for one. Null for one that nobody may send, or that is none. */
export function takeBudget(state: State, item: InboxItem): Taken | null {
  const change = readBudgetChange(item.body, item.from)
  if (!change) return null
  const decision = { decision: 'extend', budget: change } as unknown as Json
  const waits = [...state.waits.values()].filter((wait) => wait.kind === 'budget')
  const resolved = waits.map(
    ({ id, scope }): Fact => ({
      v: 1,
      type: 'wait.resolved',
      ...runOf(state),
      scope,
      cause: item.id,
      wait: id,
      as: 'decided',
      decision,
      by: item.from
    })
  )
  return { item, close: waits.map(({ id }) => id), facts: [...resolved, toBudgetSet(state, change, item)] }
}

/** What a decision about a wait for budget sets; null when it refuses. */
export function toExtension(state: State, decision: Json, item: Pick<InboxItem, 'id' | 'from'>): Fact | null {
  const change = readExtension(decision, item.from)
  return change && toBudgetSet(state, change, item)
}

function toBudgetSet(state: State, change: BudgetChange, { id, from }: Pick<InboxItem, 'id' | 'from'>): Fact {
  return { v: 1, type: 'budget.set', ...runOf(state), cause: id, limit: changeBudget(budgetOf(state), change), by: from }
}

function runOf(state: State): { readonly run?: string } {
  return isActive(state) && state.run ? { run: state.run.id } : {}
}
