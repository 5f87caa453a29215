import { HoldfastError } from '../../src/contracts/errors.ts'
import type { Store } from '../../src/contracts/store.ts'
import type { Random } from './random.ts'
import type { Process, Scheduler } from './scheduler.ts'

/** What can go wrong between a process and its store. */
export interface Weather {
  /** False once the schedule is to come to rest. */
  rough: boolean
  lostRequest: number
  lostAnswer: number
  /** The sender hears an error; the request arrives later all the same. */
  lateRequest: number
}

/** The methods of a store that the model uses. */
export type LinkedStore = Pick<Store, 'append' | 'pending' | 'read' | 'deliver' | 'decide' | 'beat' | 'claim'>

/** A store as one process sees it: every call takes time, may fail before or after its effect, and may arrive late. */
export function linkStore(
  process: Process,
  store: LinkedStore,
  world: { scheduler: Scheduler; random: Random; weather: Weather }
): LinkedStore {
  const { scheduler, random, weather } = world
  const over = <Arguments extends readonly unknown[], Result>(call: (...given: Arguments) => Promise<Result>) => {
    return (...given: Arguments): Promise<Result> =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(new HoldfastError('store_unavailable', 'the store did not answer'))
        const fate = weather.rough ? random.next() : 1
        const { lostRequest, lateRequest, lostAnswer } = weather
        if (fate < lostRequest) return scheduler.after(process, delay(random, weather), fail)
        if (fate < lostRequest + lateRequest) {
          scheduler.after(process, random.int(1, 30), fail)
          return scheduler.after(null, random.int(10, 1_500), () => void call(...given).catch(() => {}))
        }
        const isAnswerLost = fate < lostRequest + lateRequest + lostAnswer
        scheduler.after(null, delay(random, weather), () => {
          call(...given).then(
            (result) => scheduler.after(process, delay(random, weather), isAnswerLost ? fail : () => resolve(result)),
            (error: unknown) => scheduler.after(process, 1, () => reject(error))
          )
        })
      })
  }
  return {
    append: over((request) => store.append(request)),
    pending: over((thread) => store.pending(thread)),
    read: over((thread, from, limitBytes) => store.read(thread, from, limitBytes)),
    deliver: over((items) => store.deliver(items)),
    decide: over((wait, decision, by) => store.decide(wait, decision, by)),
    beat: over((worker, leaseMs, mine) => store.beat(worker, leaseMs, mine)),
    claim: over((request) => store.claim(request))
  }
}

function delay(random: Random, weather: Weather): number {
  const luck = weather.rough ? random.next() : 0
  if (luck < 0.9) return random.int(0, 6)
  return luck < 0.98 ? random.int(10, 90) : random.int(150, 1_600)
}
