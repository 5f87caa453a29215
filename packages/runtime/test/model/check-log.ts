import type { Fact, FactOf } from '../../src/contracts/fact.ts'
import type { ThreadId } from '../../src/contracts/ids.ts'
import type { LoggedCall, LogPlace } from './check-calls.ts'
import { CallJudge, isCallFact, resolveWait } from './check-calls.ts'
import type { InterruptJudge } from './check-interrupts.ts'
import { createInterruptJudge } from './check-interrupts.ts'
import type { ItemJudge } from './check-items.ts'
import { createItemJudge } from './check-items.ts'
import { createModelJudge } from './check-models.ts'
import type { QuarantineJudge } from './check-quarantine.ts'
import { createQuarantineJudge } from './check-quarantine.ts'
import type { Model } from './model.ts'
import type { WitnessedThread } from './witness.ts'
import { Violation } from './witness.ts'

/** Ends of runs that ask no model, however much there is to read: nobody pays for it, or a hook is against it. */
const UNASKED: ReadonlySet<string> = new Set([
  'token_budget',
  'cost_budget',
  'cost_unknown',
  'time_budget',
  'tool_call_budget',
  'usage_missing',
  'hook_blocked',
  'hook_failed'
])

/** Reads the log of a thread fact by fact, with its own eyes: it shares nothing with `evolve`. Throws the first `Violation`. */
export function checkLog(model: Model, thread: ThreadId): void {
  const witnessed = model.witness.thread(thread)
  const reader = new LogReader(model, thread, witnessed)
  let [lastAttempt, lastAt] = [0, 0]
  for (const [index, { sequence, attempt, at, facts }] of witnessed.commits.entries()) {
    assert(sequence === index + 1, 'I3', `commit ${sequence} stands at place ${index + 1}`)
    assert(attempt >= lastAttempt, 'I3', `attempt ${attempt} wrote after attempt ${lastAttempt}`)
    assert(at >= lastAt, 'I3', `commit ${sequence} is older than the one before it`)
    const claims = facts.filter((fact) => fact.type === 'attempt.claimed').length
    const isFirst = attempt > lastAttempt
    assert(claims === (isFirst ? 1 : 0), 'I3', `commit ${sequence} claims attempt ${attempt} ${claims} times`)
    assert(!isFirst || facts[0]?.type === 'attempt.claimed', 'I3', `attempt ${attempt} does not begin with its claim`)
    reader.readCommit({ attempt, at }, facts)
    lastAttempt = attempt
    lastAt = at
  }
  reader.end()
}

function assert(condition: boolean, rule: string, message: string): asserts condition {
  if (!condition) throw new Violation(rule, message)
}

class LogReader {
  readonly #model: Model
  readonly #thread: ThreadId
  readonly #witnessed: WitnessedThread
  readonly #items: ItemJudge
  readonly #interrupts: InterruptJudge
  readonly #quarantine: QuarantineJudge = createQuarantineJudge()
  readonly #judgeModel: (fact: FactOf<'turn.started'>) => void
  #run: { readonly id: string; cancelled: boolean } | null = null
  #turn: { readonly id: string; readonly number: number; try: number; isOpen: boolean } | null = null
  readonly #calls: CallJudge
  readonly #waits = new Map<string, { readonly call: LoggedCall; readonly kind: string; readonly place: LogPlace } | null>()
  readonly #knownWaits = new Set<string>()
  /** What hooks have said of the next request, as long as nothing has come since. */
  #prepared: FactOf<'turn.prepared'> | null = null
  #unanswered: 'now' | 'before' | null = null
  /** Runs so far. */
  #runs = 0
  /** The item that a thread was made with, when it begins with prompts. */
  #task: string | null = null
  #place: LogPlace = { attempt: 0, at: 0 }

  constructor(model: Model, thread: ThreadId, witnessed: WitnessedThread) {
    this.#model = model
    this.#thread = thread
    this.#witnessed = witnessed
    this.#items = createItemJudge(witnessed.items, { isLooked: model.hooked.onMessage })
    this.#interrupts = createInterruptJudge(witnessed.items, { isLooked: model.hooked.onMessage })
    this.#judgeModel = createModelJudge(model.publication)
    this.#calls = new CallJudge(model.publication)
  }

  readCommit(place: LogPlace, facts: readonly Fact[]): void {
    this.#place = place
    for (const fact of facts) {
      if (fact.type !== 'run.started' && fact.run !== undefined) {
        assert(fact.run === this.#run?.id, 'I3', `${fact.type} names ${fact.run}, which is not under way`)
      }
      const isCancelled = this.#run?.cancelled === true
      this.#items.judge(fact, { isActive: this.#run !== null, isCancelled: isCancelled || this.#quarantine.isGivenUp, waits: this.#waits })
      this.#interrupts.judge(fact, { isCancelled })
      this.#read(fact)
      this.#quarantine.judge(fact)
    }
    this.#items.endCommit()
    this.#interrupts.endCommit()
    if (this.#unanswered) this.#unanswered = 'before'
  }

  end(): void {
    const { effects } = this.#model
    for (const call of this.#calls.all) this.#assertHonest(call, effects.starts(this.#thread, call.id))
  }

  #read(fact: Fact): void {
    switch (fact.type) {
      case 'run.started':
        return this.#runStarted(fact)
      case 'run.cancelRequested':
        assert(this.#run !== null && !this.#run.cancelled, 'cancel', 'a cancel is recorded that has no run to cancel')
        this.#run.cancelled = true
        return
      case 'run.ended':
        return this.#runEnded(fact)
      case 'prompts.injected':
        assert(this.#runs === 1 && !this.#hasOpenTurn(), 'I7', 'a thread begins a second time')
        this.#calls.begin(fact)
        this.#task = fact.cause ?? null
        return
      case 'message.received':
        // The task stands behind what a thread begins with.
        assert(!this.#hasOpenTurn() || fact.cause === this.#task, 'I7', 'a message lands inside an open turn')
        this.#prepared = null
        this.#unanswered = 'now'
        return
      case 'turn.started':
        return this.#turnStarted(fact)
      case 'model.responded':
        return this.#responded(fact)
      case 'turn.prepared':
        assert(!this.#hasOpenTurn() && this.#run?.cancelled === false, 'I7', `${fact.turn} is prepared where none can begin`)
        this.#prepared = fact
        return
      case 'turn.reviewed':
        return this.#calls.reviewAnswer(fact)
      case 'model.failed':
        assert(
          this.#turn?.id === fact.turn && this.#turn.try === fact.try && this.#turn.isOpen,
          'I7',
          `${fact.turn}#${fact.try} fails unasked`
        )
        this.#turn.isOpen = false
        return
      default:
        return this.#readCallFact(fact)
    }
  }

  #readCallFact(fact: Fact): void {
    if (fact.type === 'wait.opened') this.#waitOpened(fact)
    else if (fact.type === 'wait.resolved') this.#waitResolved(fact)
    else if (isCallFact(fact)) {
      assert(fact.type !== 'call.started' || this.#run?.cancelled !== true, 'cancel', `${fact.call} starts after the cancel`)
      this.#calls.read(fact, this.#place)
      this.#calls.goOn({ isEnding: this.#run?.cancelled === true || this.#quarantine.isGivenUp })
    }
  }

  #runStarted(fact: FactOf<'run.started'>): void {
    assert(this.#run === null, 'I3', `${fact.run} starts while ${this.#run?.id} is under way`)
    this.#run = { id: fact.run ?? '', cancelled: false }
    this.#turn = null
    this.#prepared = null
    this.#runs++
    this.#calls.clear()
  }

  #runEnded(fact: FactOf<'run.ended'>): void {
    const open = this.#calls.calls.filter((call) => !call.settled || call.inReview).map((call) => call.id)
    assert(open.length === 0, 'I17', `${fact.run} ends with open calls ${open.join(' ')}`)
    assert(this.#waits.size === 0, 'I17', `${fact.run} ends with open waits ${[...this.#waits.keys()].join(' ')}`)
    assert(this.#turn?.isOpen !== true && !this.#calls.inReview, 'I17', `${fact.run} ends while its model call runs or is looked at`)
    // Time may run out while a retry waits: then the message was taken in good faith.
    const isExcused =
      fact.status === 'cancelled' ||
      this.#quarantine.isGivenUp ||
      (fact.why === 'time_limit' && this.#unanswered === 'before') ||
      UNASKED.has(fact.why ?? '')
    assert(!this.#unanswered || isExcused, 'I10', `${fact.run} ends ${fact.status} with a message that no model has seen`)
    assert(fact.status === 'cancelled' || this.#run?.cancelled !== true, 'cancel', `${fact.run} was cancelled and ends ${fact.status}`)
    this.#run = null
    this.#unanswered = null
  }

  #turnStarted(fact: FactOf<'turn.started'>): void {
    const last = this.#turn
    assert(this.#run !== null && !this.#run.cancelled, 'cancel', `${fact.turn} starts in a run that is over or cancelled`)
    assert(!this.#hasOpenTurn(), 'I7', `${fact.turn} starts while a turn is open`)
    const isLooked = this.#prepared?.turn === fact.turn && this.#prepared.error === undefined
    assert(!this.#model.hooked.beforeInference || isLooked || fact.hook !== undefined, 'I9', `${fact.turn} starts before hooks have looked`)
    const isRetry = last?.id === fact.turn
    const number = isRetry ? last.number : (last?.number ?? 0) + 1
    assert(
      fact.turn === `${this.#run.id}//${number}` && fact.try === (isRetry ? last.try + 1 : 1),
      'I7',
      `${fact.turn}#${fact.try} is out of order`
    )
    const { maxTurns } = this.#model.publication.definition.limits
    assert(number <= (maxTurns ?? Number.POSITIVE_INFINITY), 'limit', `${fact.turn} is beyond the turn limit`)
    this.#turn = { id: fact.turn, number, try: fact.try, isOpen: true }
    assert(!this.#calls.hasLeft, 'I7', `${fact.turn} starts before the calls of the definition are over`)
    this.#calls.clear()
    this.#unanswered = null
    assert(this.#waits.size === 0, 'I17', `${fact.turn} starts while its pause is open`)
    if (fact.hook === undefined) this.#judgeModel(fact)
  }

  #responded(fact: FactOf<'model.responded'>): void {
    assert(this.#turn?.id === fact.turn && this.#turn.isOpen, 'I7', `${fact.turn} is answered unasked`)
    this.#turn.isOpen = false
    this.#prepared = null
    this.#calls.respond(fact)
  }

  /** What is said never to have been started was never started (I5). */
  #assertHonest(call: LoggedCall, starts: number): void {
    assert(call.started !== null || starts === 0, 'I5', `${call.id} ran and is settled ${call.settled} as if it had not`)
  }

  #waitOpened(fact: FactOf<'wait.opened'>): void {
    assert(!this.#knownWaits.has(fact.wait), 'I11', `${fact.wait} is opened twice`)
    if (fact.call === undefined) {
      const isBetweenTries = this.#turn !== null && !this.#hasOpenTurn() && this.#waits.size === 0
      assert(fact.kind !== 'timer' || isBetweenTries, 'I11', `${fact.wait} is opened where no try is due`)
      assert(this.#run?.cancelled === false, 'I11', `${fact.wait} is opened in a run that ends`)
      this.#knownWaits.add(fact.wait)
      this.#waits.set(fact.wait, null)
      return
    }
    assert(this.#run?.cancelled !== true, 'I11', `${fact.wait} is opened in a run that is cancelled`)
    const call = this.#calls.waits({ ...fact, call: fact.call }, this.#place)
    this.#knownWaits.add(fact.wait)
    this.#waits.set(fact.wait, { call, kind: fact.kind, place: this.#place })
  }

  #waitResolved(fact: FactOf<'wait.resolved'>): void {
    const wait = this.#waits.get(fact.wait)
    assert(wait !== undefined, 'I11', `${fact.wait} is resolved and was not open`)
    this.#waits.delete(fact.wait)
    const decision = this.#witnessed.decisions.get(fact.wait)
    // A budget that is sent ends the wait for one, too.
    const isSent = this.#witnessed.items.get(fact.cause ?? '')?.kind === 'budget'
    const isAnswered = !isSent && fact.as === 'decided' && !fact.cause?.startsWith('decide:')
    if (isAnswered) this.#assertAnswer(fact, wait)
    else if (fact.as === 'decided' && !isSent) {
      assert(JSON.stringify(decision) === JSON.stringify(fact.decision), 'I12', `${fact.wait} is resolved otherwise than it was decided`)
    }
    if (fact.as === 'expired') assert(decision === undefined, 'I12', `${fact.wait} expires although it was decided`)
    if (wait) resolveWait(wait.call, wait.kind, fact)
  }

  /** A message answers the one question that is open, when it was said after that was shown. */
  #assertAnswer({ wait: id, cause = '' }: FactOf<'wait.resolved'>, wait: { readonly kind: string; readonly place: LogPlace } | null): void {
    const item = this.#witnessed.items.get(cause)
    assert(item?.kind === 'message' || item?.kind === 'interrupt', 'I12', `${id} is answered by ${cause}`)
    const others = [...this.#waits.values()].filter((each) => each?.kind === 'question')
    assert(wait?.kind === 'question' && others.length === 0, 'I12', `${cause} is no answer to ${id}`)
    assert(wait.place !== this.#place && (item.at ?? 0) >= wait.place.at, 'I11', `${cause} answers ${id}, which it had not seen`)
  }

  #hasOpenTurn(): boolean {
    return this.#turn !== null && (this.#turn.isOpen || this.#calls.hasOpen)
  }
}
