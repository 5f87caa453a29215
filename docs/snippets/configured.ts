import { createModelResolver, findConfig, NO_CONFIG, toModelPrices } from '@holdfast/config'
import { createRuntime, createSecretRegistry, memoryStore } from '@holdfast/runtime'

const folder = process.cwd()
const config = (await findConfig(folder)) ?? NO_CONFIG
const secrets = createSecretRegistry()
const models = createModelResolver(config, { env: process.env, baseDir: folder, secrets })

await using store = memoryStore()
await using runtime = createRuntime({ store, models, secrets, prices: toModelPrices(config) })
console.log(await runtime.threads())
