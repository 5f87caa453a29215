import type { Budget } from '../../src/contracts/budget.ts'
import type { Fact, FactOf } from '../../src/contracts/fact.ts'
import type { ThreadId } from '../../src/contracts/ids.ts'
import { evolve } from '../../src/state/evolve.ts'
import { toBudgetStatus } from '../../src/state/budget.ts'
import { emptyState } from '../../src/state/state.ts'
import type { Model } from './model.ts'
import { Violation } from './witness.ts'

const CUT_SHORT: readonly string[] = ['lost', 'aborted', 'interrupted']

/** Adds up by itself what a log says was spent, and compares that with the folded state after every commit (I16). Throws the first `Violation`. */
export function checkMoney(model: Model, thread: ThreadId): void {
  const { publication, witness } = model
  const ledger = new Ledger(publication.definition.budget ?? null)
  const state = emptyState(thread, publication)
  for (const { at, attempt, sequence, facts } of witness.thread(thread).commits) {
    for (const fact of facts) {
      ledger.add(fact)
      evolve(state, { at, attempt, sequence }, fact)
    }
    const status = toBudgetStatus(state, at)
    if (JSON.stringify(status?.limit ?? null) !== JSON.stringify(ledger.limit))
      fail(`commit ${sequence} has another limit than its facts say`)
    if (!status) continue
    const { used, reservedTokens, left, limit } = status
    const isSame = used.tokens === ledger.tokens && used.toolCalls === ledger.toolCalls && reservedTokens === ledger.reserved
    if (!isSame) fail(`commit ${sequence}: used and reserved are not what its facts add up to`)
    if (Math.abs(used.cost - ledger.cost) > 1e-6) fail(`commit ${sequence}: the cost ${used.cost} is not what its facts add up to`)
    if (limit.maxTotalTokens !== undefined && limit.maxTotalTokens !== ledger.tokens + ledger.reserved + (left.tokens ?? Number.NaN)) {
      fail(`commit ${sequence}: limit is not used + reserved + left`)
    }
  }
}

function fail(message: string): never {
  throw new Violation('I16', message)
}

/** What is spent, by the facts alone. */
class Ledger {
  limit: Budget | null
  tokens = 0
  cost = 0
  reserved = 0
  toolCalls = 0
  #pricedTokens = 0
  #unpriced = 0
  #unmetered = 0

  constructor(limit: Budget | null) {
    this.limit = limit
  }

  add(fact: Fact): void {
    if (fact.type === 'budget.set') this.#set(fact)
    else if (fact.type === 'turn.started') this.#begin(fact)
    else if (fact.type === 'model.responded') this.#answer(fact)
    else if (fact.type === 'model.failed') this.#fail(fact)
    else if (fact.type === 'call.started') this.#call(fact)
  }

  #set({ limit }: FactOf<'budget.set'>): void {
    this.limit = limit
    this.#unpriced = 0
    this.#unmetered = 0
  }

  #begin({ turn, hook, reservedTokens = 0 }: FactOf<'turn.started'>): void {
    // Nothing is spent for what a hook answers.
    if (hook !== undefined) return
    const { maxTotalTokens, maxCost } = this.limit ?? {}
    const counts = maxTotalTokens !== undefined || maxCost !== undefined
    if (counts !== reservedTokens > 0) fail(`${turn} starts with ${reservedTokens} tokens reserved`)
    if (maxTotalTokens !== undefined && this.tokens + reservedTokens > maxTotalTokens)
      fail(`${turn} starts beyond ${maxTotalTokens} tokens`)
    if (maxCost !== undefined && (this.cost >= maxCost || this.#unpriced > 0)) fail(`${turn} starts beyond the cost of ${maxCost}`)
    if (counts && this.#unmetered > 0) fail(`${turn} starts on a guess`)
    this.reserved = reservedTokens
  }

  #answer({ usage, cost }: FactOf<'model.responded'>): void {
    this.#spend(usage.inputTokens + usage.outputTokens, cost)
    if (usage.estimated) this.#unmetered++
  }

  #fail({ usage, cost, why }: FactOf<'model.failed'>): void {
    if (usage) return this.#spend(usage.inputTokens + usage.outputTokens, cost ?? 'unknown')
    const { reserved } = this
    const isCharged = CUT_SHORT.includes(why) && reserved > 0
    this.reserved = 0
    if (!isCharged) return
    this.tokens += reserved
    if (this.#pricedTokens > 0) this.cost += (this.cost / this.#pricedTokens) * reserved
    else this.#unpriced++
  }

  #spend(tokens: number, cost: number | 'unknown'): void {
    this.reserved = 0
    this.tokens += tokens
    if (cost === 'unknown') this.#unpriced++
    else {
      this.cost += cost
      this.#pricedTokens += tokens
    }
  }

  #call({ call, try: number, leg }: FactOf<'call.started'>): void {
    // A call that goes on is the same call.
    if (number > 1 || leg > 1) return
    this.toolCalls++
    const { maxToolCalls } = this.limit ?? {}
    if (maxToolCalls !== undefined && this.toolCalls > maxToolCalls) fail(`${call} starts beyond ${maxToolCalls} tool calls`)
  }
}
