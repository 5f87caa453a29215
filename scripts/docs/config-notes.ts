import type { FieldNotes } from './field-note.ts'

const RATE = 'US dollars per million tokens'
const SETTINGS = '`model.settings` of an [agent](manifest.md)'
const OPTIONS = '`model.options` of an [agent](manifest.md)'

/** What a field of a configuration is. Exactly the fields of its shapes. */
export const CONFIG_NOTES: FieldNotes = {
  version: { is: 'The version of the form: a text, so in quotes.' },
  providers: { is: 'How providers are reached, by names of your own. One that is called like a driver is of that driver.' },
  'providers.NAME.driver': { is: 'Which wire it speaks; see below.', type: 'a driver', without: 'the name' },
  'providers.NAME.apiKey': { is: 'Where its key is.', without: "the driver's own variable" },
  'providers.NAME.apiKey.env': { is: 'The environment variable that holds it.' },
  'providers.NAME.baseURL': {
    is: 'Its address: http or https, without credentials, query and fragment.',
    without: "the driver's own; `openai-compatible` needs one"
  },
  'providers.NAME.api': { is: "Which of OpenAI's interfaces it speaks.", without: '`responses`' },
  models: { is: 'Profiles: models under names of your own, which agents name with `model: { ref: NAME }`.' },
  'models.NAME.provider': { is: 'A name under `providers`, or a driver that needs no entry there.' },
  'models.NAME.model': { is: 'What the provider calls the model; with the driver `scripted` the path of a script.' },
  'models.NAME.options': { as: `${OPTIONS}; what the agent says wins` },
  'models.NAME.settings': { as: `${SETTINGS}; what the agent says wins` },
  'models.NAME.fallbacks': {
    is: 'Models that stand in, in their order, where this one cannot answer; at most 16. Each is asked with its own options and settings.',
    without: 'none'
  },
  'models.NAME.fallbacks[].provider': { is: 'A provider; with `model`, in place of `ref`.' },
  'models.NAME.fallbacks[].model': { is: 'What the provider calls the model.' },
  'models.NAME.fallbacks[].ref': { is: 'Another profile; its own fallbacks are not asked.' },
  'models.NAME.fallbacks[].options': { as: OPTIONS },
  'models.NAME.fallbacks[].settings': { as: SETTINGS },
  'models.NAME.prices': { is: 'What the model costs, above what the runtime knows.', without: 'the table of the runtime' },
  'models.NAME.prices.input': { is: `Of what is sent, in ${RATE}.` },
  'models.NAME.prices.output': { is: `Of what is answered, in ${RATE}.` },
  'models.NAME.prices.cacheRead': { is: `Of what is read from a cache, in ${RATE}.`, without: 'not known' },
  'models.NAME.prices.cacheWrite': { is: `Of what is put into a cache, in ${RATE}.`, without: 'not known' },
  'models.NAME.prices.cacheWriteHour': { is: 'The same for a cache that lasts an hour.', without: 'not known' },
  'models.NAME.prices.above': { is: 'Other rates for long requests.', without: 'none' },
  'models.NAME.prices.above[].inputTokens': { is: 'From how many tokens on they hold.' },
  'models.NAME.prices.above[].input': { as: '`prices.input`' },
  'models.NAME.prices.above[].output': { as: '`prices.output`' },
  'models.NAME.prices.above[].cacheRead': { as: '`prices.cacheRead`' },
  'models.NAME.prices.above[].cacheWrite': { as: '`prices.cacheWrite`' },
  'models.NAME.prices.above[].cacheWriteHour': { as: '`prices.cacheWriteHour`' },
  'models.NAME.capabilities': {
    is: 'What the model can do. What it cannot it is not asked, and the run fails before anything is paid.',
    without: 'everything'
  },
  'models.NAME.capabilities.tools': { is: 'Whether it takes tools.', without: 'true' },
  'models.NAME.capabilities.images': { is: 'Whether it takes images.', without: 'true' },
  'models.NAME.capabilities.files': { is: 'Whether it takes other files, such as PDF.', without: 'true' },
  'models.NAME.capabilities.contextWindow': {
    is: 'How many tokens fit into a conversation, as `holdfast models` shows it.',
    without: 'the table of the runtime'
  },
  'models.NAME.capabilities.maxOutputTokens': {
    is: 'How many tokens an answer may have at most; a `maxOutputTokens` above it is refused.',
    without: 'any number may be asked for'
  },
  tools: { is: 'Paths of modules that export tools, plugins and hooks.', without: 'none' },
  store: { is: 'The path of the file in which threads are kept.', type: 'text or `{ env }`', without: '`.holdfast/holdfast.db`' },
  'store.env': { is: 'The environment variable that holds the path.' },
  artifacts: {
    is: 'The path of a folder for bodies of more than 64 KiB; each store needs one of its own.',
    type: 'text or `{ env }`',
    without: 'they are kept in the store'
  },
  'artifacts.env': { is: 'The environment variable that holds the path.' },
  agents: {
    is: 'Paths of agent files, by the names under which agents may start them: letters, digits, `-` and `_`.',
    type: 'object of texts',
    without: 'none'
  },
  grants: {
    is: 'What there is to be [granted](grants.md) at all. The command gives its file and HTTP tools no more.',
    type: 'object',
    without: 'nothing'
  },
  permissions: {
    is: 'The layer of [permission rules](grants.md) of the host: every call of every agent is held against them.',
    type: 'list of rules',
    without: 'none'
  },
  onWait: { is: 'Who is told that a run begins to wait for a person ([how](../how-to/configure.md#tell-a-person)).', without: 'nobody' },
  'onWait.command': { is: 'A program of this machine and its arguments; in place of `webhook`.' },
  'onWait.webhook': { is: 'A URL: http or https, without credentials, query and fragment.' },
  'onWait.webhook.env': { is: 'The environment variable that holds the URL, where it is secret itself.' },
  'onWait.secret': { is: 'What requests to the webhook are signed with.', without: 'they are not signed' },
  'onWait.secret.env': { is: 'The environment variable that holds it.' },
  engine: { is: 'How the runtime of the command works.' },
  'engine.concurrency': { is: 'How many threads are driven at once.', without: '256' },
  'engine.crashBudget': {
    is: 'How often in a row a thread may lose its owner without getting on, before it waits for a person.',
    without: '5'
  },
  'engine.leaseMs': { is: 'How long a dead owner blocks its threads.', type: 'whole number from 100', without: '10000' }
}
