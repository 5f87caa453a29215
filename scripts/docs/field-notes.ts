import type { FieldNotes } from './field-note.ts'

/** What a field of an agent is, and what holds without it; limits have their defaults in the code. Exactly the fields of the shape. */
export const FIELD_NOTES: FieldNotes = {
  schemaVersion: { is: 'The version of the form. Only in a file.' },
  id: { is: 'An id of the author; not used by the runtime. Only in a file.' },
  name: { is: 'The name of the agent.', without: 'the name of the file; in code required' },
  description: { is: 'What the agent is for.' },
  model: { is: 'Which model is asked: a model of a provider, or a profile of the configuration.' },
  'model.provider': { is: 'A provider; with `model`, in place of `ref`.' },
  'model.model': { is: 'The name of a model of the provider.' },
  'model.ref': { is: 'A profile under `models` of the configuration, or a name of `models` of the runtime.' },
  'model.options': { is: "Options that are handed to the provider, by the provider's name." },
  'model.settings': { is: 'Settings that every provider knows.' },
  'model.settings.temperature': { is: 'How much chance decides.', without: 'of the provider' },
  'model.settings.topP': { is: 'Share of the likeliest tokens that is drawn from.', without: 'of the provider' },
  'model.settings.topK': { is: 'Number of the likeliest tokens that is drawn from.', without: 'of the provider' },
  'model.settings.seed': { is: 'Where the provider can: the same answer to the same request.' },
  'model.settings.stopSequences': { is: 'Texts at which the answer ends.' },
  'model.settings.toolChoice': { is: 'Whether tools may or must be used, or which one.', without: 'of the provider' },
  'model.settings.toolChoice.tool': { is: 'The one tool that must be used: one of `tools`.' },
  'model.settings.maxOutputTokens': { is: 'How long one answer may be, in tokens.', without: 'of the provider' },
  'model.fallbacks': {
    is: 'Models that stand in, in their order, where the first one cannot answer; at most 16. Each is asked with its own options and settings.',
    without: "the profile's"
  },
  'model.fallbacks[].provider': { is: 'A provider; with `model`, in place of `ref`.' },
  'model.fallbacks[].model': { is: 'The name of a model of the provider.' },
  'model.fallbacks[].ref': { is: 'A profile; its own fallbacks are not asked.' },
  'model.fallbacks[].options': { as: '`model.options`' },
  'model.fallbacks[].settings': { as: '`model.settings`' },
  systemPrompt: { is: 'A template: how the agent is to behave.' },
  prompt: { is: 'A template: the first message of a run that is started without one.' },
  initialPrompts: {
    is: 'What each thread begins with, before its first message and before a model is asked: texts, and calls with their results. Once a call has waited for a person, those behind it are left out. [How](../how-to/initial-prompts.md).'
  },
  'initialPrompts[].role': { is: 'Who says the text. What `system` says joins the system prompt.', without: '`user`' },
  'initialPrompts[].prompt': { is: 'A template: the text.' },
  'initialPrompts[].toolCalls': {
    is: 'Calls that are made behind the text, together where they may run together. They are judged, held and recorded as those of a model are.'
  },
  'initialPrompts[].toolCalls[].tool': { is: 'One of `tools`. Not `task_complete`.' },
  'initialPrompts[].toolCalls[].arguments': { is: 'Its arguments. Each text in them is a template.', without: '`{}`' },
  variables: { is: 'Values for the templates, which a start may override.' },
  'variables[].key': { is: 'The name by which templates and a start call it.' },
  'variables[].type': { is: 'What its value must be.' },
  'variables[].value': { is: 'Its value.' },
  'variables[].requiresOverride': { is: 'Whether every start must give a value.', without: '`false`' },
  'variables[].description': { is: 'What it is for.' },
  'variables[].metadata': { is: 'Data of the author; not used by the runtime.' },
  tools: { is: 'The tools that the model may ask for: names, or references with changes. In code also the tools themselves.' },
  'tools[].ref': { is: 'The name of a tool.' },
  'tools[].approval': {
    is: 'Whether a person approves each call first: only stricter than what the tool declares.',
    without: 'what the tool declares'
  },
  'tools[].effect': { is: 'What a repeat does: only stricter than what the tool declares.', without: 'what the tool declares' },
  'tools[].timeoutMs': {
    is: 'How long one call may take: at most what the tool declares.',
    without: "the tool's own or `limits.toolTimeoutMs`, the shorter one"
  },
  'tools[].onUnknown': {
    is: 'Where nobody knows what became of a call: the model is told (`tell`), or a person is asked (`ask`). Only stricter than what the tool declares.',
    without: 'what the tool declares'
  },
  limits: { is: 'Bounds of a run.' },
  'limits.maxTurns': { is: 'Answers of the model in one run; then the run is stopped.' },
  'limits.lastTurn': {
    is: '`answer`: in the last turn that `maxTurns` allows the model sees its tools and may call none, so that it can end with an answer. `tools`: it is like any other. The first turn always is.'
  },
  'limits.maxToolCallsPerIteration': { is: 'Calls in one answer.' },
  'limits.maxOutputBytes': { is: 'Size of the result of a run; a larger one stops it.' },
  'limits.maxInputBytes': { is: 'Bytes of JSON of all that a request shows; a longer one is not sent, and the run fails.' },
  'limits.providerTimeoutMs': { is: 'How long the provider may take for an answer.' },
  'limits.toolTimeoutMs': { is: 'How long a call may take whose tool says nothing else.' },
  'limits.runTimeoutMs': { is: 'How long a run may last; then it is stopped.' },
  'limits.maxRepeatedCalls': { is: 'Identical calls in a row (same tool, same arguments) that stop the run.' },
  'limits.maxRetries': { is: 'How often a failed model call is tried again; 0 for never.' },
  'limits.maxParallelCalls': { is: 'Calls of one turn that run at the same time.' },
  budget: {
    is: 'What each thread may spend, in all its runs: [budgets](../how-to/budgets.md). A start may say otherwise.',
    without: 'no bounds'
  },
  'budget.maxTotalTokens': { is: 'Tokens of all model calls, input and output.' },
  'budget.maxCost': { is: 'US dollars of all model calls.' },
  'budget.maxDurationMs': { is: 'How long its runs may be at work; waiting does not count.' },
  'budget.maxToolCalls': { is: 'Calls that tools are started for.' },
  'budget.hard': { is: 'Whether the run stops where it would go beyond, in place of a wait for a person.', without: '`false`' },
  outputSchema: { is: 'JSON Schema of the result; in code also a Standard Schema.', without: 'the result is text' },
  permissions: {
    is: 'One layer of [permission rules](grants.md). The strictest of all layers says what becomes of a call.',
    type: 'list of rules'
  },
  grants: {
    is: 'What the agent asks for of what it [may be granted](grants.md). The command gives its file and HTTP tools no more; else only kept.',
    type: 'object',
    without: 'what it is given'
  },
  capabilities: { is: 'Another name of `grants`. Only in a file.', type: 'object' },
  agents: { is: 'Agents that this one may start. Kept with the publication; no tool starts them yet.', without: 'none' },
  'agents[].name': { is: 'What this agent calls it: letters, digits, `-` and `_`.' },
  'agents[].ref': { is: 'A file, relative to this one, or a name under `agents` of the configuration.' },
  'agents[].description': { is: 'What it is for.' },
  children: { is: 'What becomes of started agents that still run when a run ends. Kept with the publication.', without: '`await`' },
  hooks: { is: 'Hooks that the host registers, in their order: a name, or a name with options.', without: 'none' },
  'hooks[].name': { is: 'The name under which the host registers it. An unknown one is refused.' },
  'hooks[].options': { is: 'What the hook is told, as data.' },
  plugins: {
    is: 'Plugins that the host registers, in their order: a name, or a name with options. Their tools are added to `tools`, and their hooks look before those of `hooks`.',
    without: 'none'
  },
  'plugins[].name': { is: 'The name under which the host registers it. An unknown one is refused.' },
  'plugins[].options': { is: 'What the plugin is made with. Its own schema says what fits.' },
  metadata: { is: 'Data of the author; not part of the digest.' },
  extensions: { is: 'Data for adapters, by namespace. Only in a file.' }
}
