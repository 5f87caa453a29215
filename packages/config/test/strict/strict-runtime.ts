import type { Runtime, Tool } from '@holdfast/runtime'
import { createRuntime, memoryStore } from '@holdfast/runtime'
import { onTestFinished } from 'vitest'
import { createModelResolver, NO_CONFIG } from '../../src/index.ts'
import type { StrictAnswer } from './strict-answers.ts'
import { startStrictProvider, STRICT_MODELS, toStrictConfig } from './strict-provider.ts'
import type { Wire } from './strict-rule.ts'

/** A runtime whose only provider is a strict fake; both are gone with the test. */
export async function startStrictRuntime(wire: Wire, answer: (answers: number) => StrictAnswer, tools: readonly Tool<never>[]) {
  const provider = await startStrictProvider(wire, answer)
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const config = { ...NO_CONFIG, providers: { p: toStrictConfig(wire, provider.url) } }
  const models = createModelResolver(config, { env: { KEY: 'a-key-of-no-provider-0123456789' }, baseDir: '.' })
  const runtime: Runtime = createRuntime({ store: memoryStore(), models, tools })
  onTestFinished(() => runtime.close({ graceMs: 0 }))
  return { provider, runtime, model: { provider: 'p', model: STRICT_MODELS[wire] } }
}
