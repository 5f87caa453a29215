// What a run may do, as sets: each has a true intersection, and what is not in it is not granted.

/** Names, or all that there are. */
export type GrantedNames = 'all' | readonly string[]

/** How shell commands run: not at all; each held for a decision; after the host's own prompt; freely. Each holds what stands before it. */
export type ShellGrant = 'none' | 'approval' | 'host' | 'allow'

/** Whom the agent tools may look at, message and cancel. */
export type AgentReach = 'descendants' | 'any'

/** A language of code steps. */
export type CodeLanguage = 'bash' | 'javascript' | 'python' | 'typescript'

/** What a run may do, in normal form: equal grants are equal as data. Made by `parseGrants` and `intersectGrants`. */
export interface Grants {
  readonly files: {
    /** Folders with all beneath them: canonical absolute ones (`/data`), or named ones that the runtime maps (`workspace:/sub`). */
    readonly read: GrantedNames
    /** Says nothing about reading. */
    readonly write: GrantedNames
  }
  readonly shell: ShellGrant
  readonly network: {
    /** `*` is any host, `*.suffix` any host below a name, a name or an IP address is that one; each with an optional `:port`. */
    readonly hosts: readonly string[]
    /**
     * Which of these may also be reached where they lead to a loopback or private address: hosts with ports, or `all` that `hosts` covers.
     * Link-local addresses and metadata services are never granted.
     */
    readonly private: GrantedNames
  }
  /** Names of environment variables that a child process may see. */
  readonly env: GrantedNames
  /** Identities of tools, never the names that a model sees: `host:name`, `os:name`, `agent:name`, `plugin:name/tool`, `mcp:connection/tool`, `code`. */
  readonly tools: GrantedNames
  /** References of connections. */
  readonly connections: GrantedNames
  /** Names of registered agents that may be started. */
  readonly definitions: GrantedNames
  readonly agents: {
    readonly start: boolean
    /** Whether definition files may be started, too. */
    readonly files: boolean
    /** How many levels of agents may be started below this one; 0 without `start`. */
    readonly depth: number
    readonly reach: AgentReach
  }
  /** References of models. */
  readonly models: GrantedNames
  readonly code: {
    readonly languages: readonly CodeLanguage[]
    readonly network: boolean
  }
}

/** Grants as somebody writes them: a field that is left out grants nothing. */
export interface GrantsInput {
  readonly files?: { readonly read?: GrantedNames; readonly write?: GrantedNames }
  readonly shell?: ShellGrant
  readonly network?: {
    readonly hosts?: readonly string[]
    /** `true`: every entry of `hosts` that names a host and a port. */
    readonly private?: boolean | GrantedNames
  }
  readonly env?: GrantedNames
  readonly tools?: GrantedNames
  readonly connections?: GrantedNames
  readonly definitions?: GrantedNames
  readonly agents?: { readonly start?: boolean; readonly files?: boolean; readonly depth?: number; readonly reach?: AgentReach }
  readonly models?: GrantedNames
  readonly code?: { readonly languages?: readonly CodeLanguage[]; readonly network?: boolean }
}
