import type { FieldNotes } from './field-note.ts'

const NAMES = '`all`, or a list'

/** What may be granted, and what holds where nothing is said. Exactly the fields of grants. */
export const GRANT_NOTES: FieldNotes = {
  'files.read': {
    is: 'Folders that may be read, with all beneath them: absolute ones, or `workspace:/sub` in the folder of the configuration.',
    type: NAMES
  },
  'files.write': { is: 'Folders that may be written. Says nothing about reading.', type: NAMES },
  shell: {
    is: 'How shell commands run: not at all, each held for a decision, after the prompt of the host, freely.',
    type: '`none`, `approval`, `host`, `allow`'
  },
  'network.hosts': {
    is: 'Hosts that may be reached: `"*"`, `"*.example.com"`, `example.com`, `192.0.2.1`, `"[2001:db8::1]"`, each with or without `:port`. In YAML an entry that begins with `*` or `[` stands in quotes.',
    type: 'a list'
  },
  'network.private': {
    is: 'Which of them may also lead to a loopback or private address. `true` is every entry that names a host and a port.',
    type: '`true`, `false`, `all`, or a list of hosts with ports'
  },
  env: { is: 'Environment variables that a child process may see.', type: NAMES },
  tools: {
    is: 'Tools by their identity, never by the name that a model sees: `host:name`, `os:name`, `agent:name`, `plugin:name/tool`, `mcp:connection/tool`, `code`.',
    type: NAMES
  },
  connections: { is: 'Connections.', type: NAMES },
  definitions: { is: 'Registered agents that may be started.', type: NAMES },
  'agents.start': { is: 'Whether agents may be started; then `depth` must be said.', type: '`true`, `false`' },
  'agents.files': { is: 'Whether definition files may be started, too.', type: '`true`, `false`' },
  'agents.depth': { is: 'How many levels of agents may stand below this one.', type: 'whole number from 0' },
  'agents.reach': { is: 'Whom the agent tools may look at, message and cancel.', type: '`descendants`, `any`' },
  models: { is: 'Models that may be asked, fallbacks among them: `provider/model`, or the name of a profile.', type: NAMES },
  'code.languages': { is: 'Languages of code steps.', type: 'a list of `bash`, `javascript`, `python`, `typescript`' },
  'code.network': { is: 'Whether such code has a network.', type: '`true`, `false`' }
}

/** What a permission rule says. Exactly the fields of one. */
export const RULE_NOTES: FieldNotes = {
  effect: {
    is: 'What the rule says of a call that it matches. `deny` wins over `ask`, and `ask` over `allow`: their order does not matter.'
  },
  tool: { is: 'A glob over names of tools: `*` any run of characters, `?` one, `[…]` one of some, `{a,b}` one of some texts.' },
  when: { is: 'What the arguments must be for the rule to match.', without: 'whatever they are' },
  'when.path': { is: 'A field of the arguments: names and indexes with dots, such as `target.items.0`.' },
  'when.eq': { is: 'The same value.' },
  'when.glob': { is: 'A text that fits a glob as in `tool`.' },
  'when.lt': { is: 'A number below this one.' },
  'when.gt': { is: 'A number above this one.' }
}
