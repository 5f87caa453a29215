import type { Action } from '../../src/contracts/heart.ts'
import type { Fact } from '../../src/contracts/fact.ts'
import type { Store } from '../../src/contracts/store.ts'
import type { State } from '../../src/state/state.ts'
import type { Sabotage } from './model.ts'

/** A store without a fence: an append counts as one of the attempt that owns the thread now. */
export const withoutFence: Sabotage = {
  store: (store) =>
    changed(store, {
      append: async (request) => store.append({ ...request, attempt: (await store.thread(request.thread))?.attempt ?? request.attempt })
    })
}

/** A store that lets go although items are there that nobody has read. */
export const withoutFreshRule: Sabotage = {
  store: (store) =>
    changed(store, {
      append: async (request) => {
        if (request.then === 'keep') return store.append(request)
        const items = await store.pending(request.thread)
        const unread = items.filter((item) => item.state === 'fresh' && !request.consumed.includes(item.id)).map((item) => item.id)
        return store.append({ ...request, deferred: unread })
      }
    })
}

/** A store that never shows a deferred item again. */
export const withoutDeferredItems: Sabotage = {
  store: (store) => changed(store, { pending: async (thread) => (await store.pending(thread)).filter((item) => item.state === 'fresh') })
}

/** A store that closes a wait although it was decided meanwhile. */
export const withoutDecidedRule: Sabotage = {
  store: (store) => changed(store, { append: (request) => store.append({ ...request, close: [] }) })
}

/** A driver that does not tell the heart of interrupts that could not be taken. */
export const withoutInterrupts: Sabotage = {
  ports: (ports) => ({
    ...ports,
    plan: (state, context) => ports.plan(state, { ...context, pending: context.pending.filter(({ kind }) => kind !== 'interrupt') })
  })
}

/** A driver that goes on however often the owners before it have died. */
export const withoutCrashBudget: Sabotage = {
  ports: (ports) => ({ ...ports, crashBudget: Number.POSITIVE_INFINITY })
}

/** A heart that plans as if there were no budget. */
export const withoutBudget: Sabotage = {
  ports: (ports) => ({ ...ports, plan: (state, context) => ports.plan({ ...state, budget: {} }, context) })
}

/** A driver that starts effects before the commit that announces them. */
export const withEarlyEffects: Sabotage = {
  ports: (ports) => {
    const early = new Set<string>()
    let planned: readonly Action[] = []
    let live: State | null = null
    return {
      ...ports,
      plan: (state, context) => {
        const plan = ports.plan(state, context)
        planned = plan.actions
        live = state
        return plan
      },
      perform: (action, state, done) => (early.has(action.id) ? { abort: () => {} } : ports.perform(action, state, done)),
      store: {
        pending: (thread) => ports.store.pending(thread),
        append: (request) => {
          for (const action of planned) {
            if (!live || early.has(action.id) || !isAnnounced(action, request.facts)) continue
            early.add(action.id)
            ports.perform(action, live, () => {})
          }
          return ports.store.append(request)
        }
      }
    }
  }
}

/** A driver that forgets an effect when it ends, not when its outcome is committed: whatever is still planned is started again. */
export const withForgottenEffects: Sabotage = {
  ports: (ports) => {
    const ended = new Map<string, readonly [Action, State]>()
    return {
      ...ports,
      perform: (action, state, done) =>
        ports.perform(action, state, (facts) => {
          ended.set(action.id, [action, state])
          done(facts)
        }),
      store: {
        pending: (thread) => ports.store.pending(thread),
        append: async (request) => {
          const before = new Set(ended.keys())
          const receipt = await ports.store.append(request)
          // What ended while the append was under way is not part of it, so the plan still wants it.
          for (const [id, [action, state]] of ended)
            if (receipt.ok && receipt.owned && !before.has(id)) ports.perform(action, state, () => {})
          for (const id of before) ended.delete(id)
          return receipt
        }
      }
    }
  }
}

/** A tool's word that nothing was done counts at once, and not only when nothing more can come of the call. */
export const withHastyReconcile: Sabotage = {
  ports: (ports) => ({
    ...ports,
    perform: (action, state, done) =>
      ports.perform(action, state, (facts) =>
        done(facts.map((fact) => (fact.type === 'call.reconciled' ? { ...fact, final: true } : fact)))
      )
  })
}

/** A driver that starts the next leg of a call although nobody has answered: what it waits for seems to be there. */
export const withoutWaits: Sabotage = {
  ports: (ports) => ({
    ...ports,
    evolve: (state, stamp, fact) => {
      const evolved = ports.evolve(state, stamp, fact)
      if (fact.type !== 'call.suspended') return evolved
      const resolved = {
        v: 1,
        type: 'wait.resolved',
        scope: '',
        wait: fact.wait,
        as: 'decided',
        decision: { decision: 'answer', answer: 1 }
      } as const
      ports.evolve(evolved, stamp, {
        v: 1,
        type: 'wait.opened',
        scope: '',
        wait: fact.wait,
        kind: fact.kind,
        call: fact.call,
        subject: fact.subject
      })
      return ports.evolve(evolved, stamp, { ...resolved, by: { kind: 'host', id: 'nobody' } })
    }
  })
}

function isAnnounced(action: Action, facts: readonly Fact[]): boolean {
  return facts.some((fact) => (fact.type === 'call.started' ? 'call' in action && fact.call === action.call : fact.type === 'turn.started'))
}

function changed(store: Store, change: Partial<Store>): Store {
  return { ...store, ...change }
}
