import { z } from 'zod'

// The message of each check says what was expected.

const OBJECT = 'an object'
const SECRET = '{ env: NAME } with the name of an environment variable'
/** What is expected where an address stands. */
export const URL_WANTED = 'an http or https URL without credentials, query or fragment'

/** A secret, by the variable that holds it. */
export const SecretShape = z.strictObject({ env: z.string(SECRET).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, SECRET) }, SECRET)
/** An address that holds no secret. */
export const PlainUrlShape = z.string(URL_WANTED).refine(isPlainUrl, URL_WANTED)

const keyed = { apiKey: SecretShape.exactOptional() }
const reached = { ...keyed, baseURL: PlainUrlShape.exactOptional() }

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
  'openai-compatible': z.strictObject({ driver: z.literal('openai-compatible'), ...keyed, baseURL: PlainUrlShape }, OBJECT),
  scripted: z.strictObject({ driver: z.literal('scripted') }, OBJECT)
} as const

/** Whether a text is an http or https URL that holds no secret and that a path can be put behind. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  return url.username === '' && url.password === '' && !text.includes('?') && !text.includes('#')
}
