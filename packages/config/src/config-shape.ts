import type { GrantsInput, PermissionRule } from '@holdfast/runtime'
import { fallbackFields, ModelFallbacksShape, ModelOptionsShape, ModelSettingsShape, settingsFields } from '@holdfast/runtime/shapes'
import type { FieldTable } from '@holdfast/runtime/shapes'
import { z } from 'zod'
import { PlainUrlShape, SecretShape, URL_WANTED } from './provider-shape.ts'

// The message of each check says what was expected.

const OBJECT = 'an object'
const NAME = 'a text that is not empty'

const name = z.string(NAME).trim().min(1, NAME)
const count = z.int('a whole number above 0').positive('a whole number above 0')

const RATE = 'a number of US dollars per million tokens, from 0 on'
const rate = z.number(RATE).nonnegative(RATE)
const rates = {
  input: rate,
  output: rate,
  cacheRead: rate.exactOptional(),
  cacheWrite: rate.exactOptional(),
  cacheWriteHour: rate.exactOptional()
}
const tier = z.strictObject({ inputTokens: count, ...rates }, OBJECT)
const prices = z.strictObject({ ...rates, above: z.array(tier, 'a list of rates with inputTokens').exactOptional() }, OBJECT)

const yes = z.boolean('true or false')
const capabilities = z.strictObject(
  {
    tools: yes.exactOptional(),
    images: yes.exactOptional(),
    files: yes.exactOptional(),
    contextWindow: count.exactOptional(),
    maxOutputTokens: count.exactOptional()
  },
  OBJECT
)

const profile = z.strictObject(
  {
    provider: name,
    model: name,
    options: ModelOptionsShape.exactOptional(),
    settings: ModelSettingsShape.exactOptional(),
    fallbacks: ModelFallbacksShape.exactOptional(),
    prices: prices.exactOptional(),
    capabilities: capabilities.exactOptional()
  },
  OBJECT
)

const STORE = 'a path, a URL without credentials, or { env: NAME }'
const store = z.union([z.string(STORE).min(1, STORE).refine(hasNoCredentials, STORE), SecretShape], STORE)

const FOLDER = 'a path of a folder, or { env: NAME }'
const folder = z.union([z.string(FOLDER).min(1, FOLDER).refine(hasNoScheme, FOLDER), SecretShape], FOLDER)

const PROGRAM = 'a list: the program, then what it is given'
const WEBHOOK = `${URL_WANTED}, or { env: NAME } for one that is secret`
const ON_WAIT = '{ command: [program, ...] } or { webhook: URL, secret?: { env: NAME } }'
const onWait = z.union(
  [
    z.strictObject(
      { command: z.array(z.string('a text').min(1, NAME).refine(hasNoNul, 'a text without NUL'), PROGRAM).min(1, PROGRAM) },
      ON_WAIT
    ),
    z.strictObject({ webhook: z.union([PlainUrlShape, SecretShape], WEBHOOK), secret: SecretShape.exactOptional() }, ON_WAIT)
  ],
  ON_WAIT
)

const LEASE = 'a whole number of milliseconds from 100 on'
const engine = z.strictObject(
  { concurrency: count.exactOptional(), leaseMs: z.int(LEASE).min(100, LEASE).exactOptional(), crashBudget: count.exactOptional() },
  OBJECT
)

/** The whole file; each provider is checked by its driver's shape. */
export const ConfigShape = z.strictObject(
  {
    version: z.literal('1.0', '"1.0" (a text, so in quotes)'),
    providers: z.record(z.string(), z.looseObject({}, OBJECT), OBJECT).exactOptional(),
    models: z.record(z.string(), profile, OBJECT).exactOptional(),
    tools: z.array(name, 'a list of paths of modules').exactOptional(),
    store: store.exactOptional(),
    artifacts: folder.exactOptional(),
    agents: z.record(z.string(), name, 'an object of paths of agent files, by name').exactOptional(),
    onWait: onWait.exactOptional(),
    engine: engine.exactOptional(),
    // These have readers of their own.
    grants: z.custom<GrantsInput>().exactOptional(),
    permissions: z.custom<readonly PermissionRule[]>().exactOptional()
  },
  OBJECT
)

/** Fields that exist, and fields that a later version has, by the path of their object; `*` is any name or index. */
export const CONFIG_FIELDS: FieldTable = {
  '': {
    known: Object.keys(ConfigShape.shape),
    later: ['connections', 'sandbox', 'server', 'schedules']
  },
  'models.*': { known: Object.keys(profile.shape), later: [] },
  ...settingsFields('models.*.settings'),
  ...fallbackFields('models.*.fallbacks'),
  'models.*.capabilities': { known: Object.keys(capabilities.shape), later: [] },
  'models.*.prices': { known: Object.keys(prices.shape), later: [] },
  'models.*.prices.above.*': { known: Object.keys(tier.shape), later: [] },
  store: { known: ['env'], later: [] },
  artifacts: { known: ['env'], later: [] },
  onWait: { known: ['command', 'webhook', 'secret'], later: [] },
  'onWait.webhook': { known: ['env'], later: [] },
  'onWait.secret': { known: ['env'], later: [] },
  engine: { known: Object.keys(engine.shape), later: [] }
}

function hasNoScheme(text: string): boolean {
  return !/^[a-z][a-z0-9+.-]+:\/\//i.test(text)
}

function hasNoNul(text: string): boolean {
  return !text.includes('\0')
}

function hasNoCredentials(text: string): boolean {
  const url = /^[a-z][a-z0-9+.-]+:\/\//i.test(text) ? URL.parse(text) : null
  return !url || url.password === ''
}
