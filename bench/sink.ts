// A process of its own: what a delta costs on its way from the model's stream into a file of JSON lines, alone and with secrets looked for.
import { readFileSync, rmSync } from 'node:fs'
import type { SecretRegistry } from '@holdfast/runtime'
import { createRuntime, createSecretRegistry, jsonlSink, memoryStore } from '@holdfast/runtime'
import { print, round } from './figures.ts'
import { benchModel, words } from './model.ts'
import { newFile } from './store.ts'

const DELTAS = 20_000
const REPEATS = 7

const secrets = createSecretRegistry()
for (let index = 0; index < 5; index++) secrets.add(`KEY_${index}`, `sk-${words(index, 40).replaceAll(' ', '0')}`)

await repeat(DELTAS)
const whole = await repeat(DELTAS)
const quarter = await repeat(DELTAS / 4)
const guarded = await repeat(DELTAS, secrets)
print({ measure: 'sink', deltas: DELTAS, us: round(whole, 2), timesQuarter: round(whole / quarter, 2), usWithSecrets: round(guarded, 2) })

/** The fastest of some: what else the machine does is not what is compared. */
async function repeat(deltas: number, registry?: SecretRegistry): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < REPEATS; index++) times.push(await time(deltas, registry))
  return Math.min(...times)
}

/** Microseconds a delta, until all of them are in the file. */
async function time(deltas: number, registry?: SecretRegistry): Promise<number> {
  const path = newFile('events')
  await using store = memoryStore()
  const since = performance.now()
  const runtime = createRuntime({
    store,
    models: { bench: streaming(deltas) },
    sinks: [jsonlSink(path, { transient: true })],
    ...(registry && { secrets: registry })
  })
  const run = await runtime.start({ name: 'bench', model: { ref: 'bench' } }, { input: 'go' })
  await run.settled()
  await runtime.close()
  const durationMs = performance.now() - since
  const lines = readFileSync(path, 'utf8').split('\n')
  rmSync(path)
  const shown = lines.filter((line) => line.includes('"text.delta"')).length
  // What may be the beginning of a secret comes with the next delta.
  if (registry ? shown < deltas / 2 : shown !== deltas) throw new Error(`expected ${deltas} deltas in the file, found ${shown}`)
  return (durationMs / deltas) * 1_000
}

/** A model that says so many words, each in a piece of its own. */
function streaming(deltas: number): ReturnType<typeof benchModel> {
  type Stream = Awaited<ReturnType<ReturnType<typeof benchModel>['doStream']>>['stream']
  const model = benchModel(0)
  return {
    ...model,
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          for (let index = 0; index < deltas; index++) controller.enqueue({ type: 'text-delta', id: 't', delta: words(index, 5) })
          controller.enqueue({
            type: 'finish',
            finishReason: { unified: 'stop', raw: undefined },
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: deltas, text: deltas, reasoning: 0 }
            }
          })
          controller.close()
        }
      }) as Stream
    })
  }
}
