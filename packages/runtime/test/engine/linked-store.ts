import { HoldfastError } from '../../src/contracts/errors.ts'
import type { Store } from '../../src/contracts/store.ts'
import type { EngineHost } from './engine-host.ts'
import type { Ledger } from './ledger.ts'
import type { World } from './world.ts'

/** The store as one engine sees it: requests take time or none, fail before or after their effect, and are answered late. */
export function linkEngineStore(world: World, ledger: Ledger, host: EngineHost): Store {
  const { inner } = world
  const over = <Arguments extends readonly unknown[], Result>(name: string, call: (...given: Arguments) => Promise<Result>) => {
    return (...given: Arguments): Promise<Result> => {
      host.called(name)
      return send(world, host, name, () => call(...given))
    }
  }
  return {
    ...inner,
    claim: over('claim', async (request) => {
      const claims = await inner.claim(request)
      for (const claim of claims) {
        ledger.claimed(host, request, claim)
        if (request.only === undefined) host.swept(claim.thread)
      }
      return claims
    }),
    append: over('append', async (request) => {
      const receipt = await inner.append(request)
      ledger.appended(host, request, receipt)
      return receipt
    }),
    beat: over('beat', (worker, leaseMs, mine) => inner.beat(worker, leaseMs, mine)),
    pending: over('pending', (thread) => inner.pending(thread)),
    read: over('read', (thread, from, limitBytes) => inner.read(thread, from, limitBytes)),
    thread: over('thread', (thread) => inner.thread(thread)),
    hint(listener) {
      host.listeners++
      const hint = inner.hint((thread) => {
        if (world.random.chance(world.weather.lostHints)) return
        const told = world.random.chance(0.05) ? null : thread
        world.scheduler.after(host.process, world.random.int(0, 3), () => {
          if (host.listeners === 0) return
          host.events++
          listener(told)
        })
      })
      return {
        [Symbol.dispose]() {
          host.listeners--
          hint[Symbol.dispose]()
        }
      }
    }
  }
}

function send<Result>(world: World, host: EngineHost, name: string, call: () => Promise<Result>): Promise<Result> {
  const { random, scheduler, weather } = world
  // What is broken stays as it is.
  if (world.violation) return new Promise(() => {})
  const fate = random.next()
  if (fate >= weather.lost * 2 + weather.late && random.chance(weather.instant)) return call()
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      world.trouble()
      host.events++
      reject(new HoldfastError('store_unavailable', 'the store did not answer'))
    }
    if (fate < weather.lost * 2 + weather.late) {
      world.note(`trouble ${name}`, host.name)
      world.trouble()
      host.troubledAt = world.now
    }
    if (fate < weather.lost) return scheduler.after(host.process, random.int(0, 100), fail)
    const isAnswerLost = fate < weather.lost * 2
    const isLate = !isAnswerLost && fate < weather.lost * 2 + weather.late
    const backMs = isLate ? random.int(100, world.leaseMs * 1.6) : random.int(0, 6)
    if (isLate) world.trouble(world.now + backMs + 10)
    scheduler.after(null, random.int(0, 6), () => {
      call().then(
        (result) => scheduler.after(host.process, backMs, isAnswerLost ? fail : () => resolve(result)),
        (error: unknown) => scheduler.after(host.process, 1, () => reject(error))
      )
    })
  })
}
