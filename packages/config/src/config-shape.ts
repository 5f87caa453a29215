import { z } from 'zod'

// The message of each check says what was expected.

const OBJECT = 'an object'
const NAME = 'a text that is not empty'
const SECRET = '{ env: NAME } with the name of an environment variable'
/** What is expected where an address stands. */
export const URL_WANTED = 'an http or https URL without credentials, query or fragment'

const name = z.string(NAME).trim().min(1, NAME)
const secret = z.strictObject({ env: z.string(SECRET).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, SECRET) }, SECRET)
const baseURL = z.string(URL_WANTED).refine(isPlainUrl, URL_WANTED)
const data = z.record(z.string(), z.json(), OBJECT)
const count = z.int('a whole number above 0').positive('a whole number above 0')

const keyed = { apiKey: secret.exactOptional() }
const reached = { ...keyed, baseURL: baseURL.exactOptional() }

/** The fields of a provider by its driver. */
export const PROVIDER_SHAPES = {
  openai: z.strictObject(
    { driver: z.literal('openai'), ...reached, api: z.enum(['responses', 'chat'], 'responses or chat').exactOptional() },
    OBJECT
  ),
  anthropic: z.strictObject({ driver: z.literal('anthropic'), ...reached }, OBJECT),
  google: z.strictObject({ driver: z.literal('google'), ...reached }, OBJECT),
  xai: z.strictObject({ driver: z.literal('xai'), ...reached }, OBJECT),
  groq: z.strictObject({ driver: z.literal('groq'), ...reached }, OBJECT),
  cohere: z.strictObject({ driver: z.literal('cohere'), ...reached }, OBJECT),
  'openai-compatible': z.strictObject({ driver: z.literal('openai-compatible'), ...keyed, baseURL }, OBJECT),
  scripted: z.strictObject({ driver: z.literal('scripted') }, OBJECT)
} as const

const settings = z.strictObject(
  {
    temperature: z.number('a number from 0 on').nonnegative('a number from 0 on').exactOptional(),
    topP: z.number('a number from 0 to 1').min(0, 'a number from 0 to 1').max(1, 'a number from 0 to 1').exactOptional(),
    topK: count.exactOptional(),
    seed: z.int('a whole number').exactOptional(),
    stopSequences: z.array(name, 'a list of texts').exactOptional(),
    toolChoice: z
      .union([z.enum(['auto', 'none', 'required']), z.strictObject({ tool: name })], 'auto, none, required or { tool: name }')
      .exactOptional(),
    maxOutputTokens: count.exactOptional()
  },
  OBJECT
)

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

const profile = z.strictObject(
  {
    provider: name,
    model: name,
    options: z.record(z.string(), data, 'an object of objects, keyed by provider').exactOptional(),
    settings: settings.exactOptional(),
    prices: prices.exactOptional()
  },
  OBJECT
)

const STORE = 'a path, a URL without credentials, or { env: NAME }'
const store = z.union([z.string(STORE).min(1, STORE).refine(hasNoCredentials, STORE), secret], STORE)

/** The whole file; each provider is checked by its driver's shape. */
export const ConfigShape = z.strictObject(
  {
    version: z.literal('1.0', '"1.0" (a text, so in quotes)'),
    providers: z.record(z.string(), z.looseObject({}, OBJECT), OBJECT).exactOptional(),
    models: z.record(z.string(), profile, OBJECT).exactOptional(),
    tools: z.array(name, 'a list of paths of modules').exactOptional(),
    store: store.exactOptional()
  },
  OBJECT
)

/** Fields that exist, and fields that a later version has, by the path of their object; `*` is any name or index. */
export const CONFIG_FIELDS: { readonly [path: string]: { readonly known: readonly string[]; readonly later: readonly string[] } } = {
  '': {
    known: Object.keys(ConfigShape.shape),
    later: ['connections', 'permissions', 'grants', 'agents', 'sandbox', 'onWait', 'engine', 'server', 'schedules']
  },
  'models.*': { known: Object.keys(profile.shape), later: ['capabilities'] },
  'models.*.settings': { known: Object.keys(settings.shape), later: [] },
  'models.*.prices': { known: Object.keys(prices.shape), later: [] },
  'models.*.prices.above.*': { known: Object.keys(tier.shape), later: [] }
}

const call = z.strictObject({ name, arguments: z.json().exactOptional() }, OBJECT)
const tokens = z.int('a whole number from 0 on').nonnegative('a whole number from 0 on')

/** The file of a scripted model. */
export const ScriptShape = z.strictObject(
  {
    turns: z.array(
      z.strictObject(
        {
          text: z.string('a text').exactOptional(),
          reasoning: z.string('a text').exactOptional(),
          toolCalls: z.array(call, 'a list of { name, arguments }').exactOptional(),
          usage: z
            .strictObject(
              {
                inputTokens: tokens.exactOptional(),
                outputTokens: tokens.exactOptional(),
                cachedInputTokens: tokens.exactOptional(),
                cacheWriteTokens: tokens.exactOptional(),
                reasoningTokens: tokens.exactOptional()
              },
              OBJECT
            )
            .exactOptional(),
          finish: z
            .enum(
              ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'interrupted', 'other'],
              'stop, length, content-filter, tool-calls, error, interrupted or other'
            )
            .exactOptional(),
          delayMs: z.number('a number of milliseconds').nonnegative('a number of milliseconds').exactOptional(),
          error: z
            .strictObject(
              {
                message: z.string('a text').exactOptional(),
                status: z.int('an HTTP status').min(100, 'an HTTP status').max(599, 'an HTTP status').exactOptional(),
                retryAfter: z.union([z.number(), z.string()], 'a number of seconds or a text').exactOptional(),
                transient: z.boolean('true or false').exactOptional()
              },
              OBJECT
            )
            .exactOptional(),
          when: z.string('a text').exactOptional()
        },
        OBJECT
      ),
      'a list of turns'
    )
  },
  OBJECT
)

/** Whether a text is an http or https URL that holds no secret and that a path can be put behind. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  return url.username === '' && url.password === '' && !text.includes('?') && !text.includes('#')
}

function hasNoCredentials(text: string): boolean {
  const url = /^[a-z][a-z0-9+.-]+:\/\//i.test(text) ? URL.parse(text) : null
  return !url || url.password === ''
}
