// Keeps I8: the intersection holds what both sides hold, and nothing else.
import type { AgentReach, CodeLanguage, Grants, ShellGrant } from '../contracts/grants.ts'
import { intersectNetworks, normalNetwork } from './host-set.ts'
import { byText, intersectNames, normalNames } from './name-set.ts'
import { intersectRoots, normalRoots } from './root-set.ts'

/** How shell commands run, from nothing on. */
export const SHELL_GRANTS = ['none', 'approval', 'host', 'allow'] as const satisfies readonly ShellGrant[]

/** Whom agent tools reach, from the fewest on. */
export const AGENT_REACHES = ['descendants', 'any'] as const satisfies readonly AgentReach[]

/** All languages of code. */
export const CODE_LANGUAGES = ['bash', 'javascript', 'python', 'typescript'] as const satisfies readonly CodeLanguage[]

/** Nothing. */
export const NO_GRANTS: Grants = {
  files: { read: [], write: [] },
  shell: 'none',
  network: { hosts: [], private: [] },
  env: [],
  tools: [],
  connections: [],
  definitions: [],
  agents: { start: false, files: false, depth: 0, reach: 'descendants' },
  models: [],
  code: { languages: [], network: false }
}

/**
 * Everything that can be granted, private addresses and the whole environment too. The bound of a host that bounds nothing, to intersect with; not what a
 * run that asks for nothing is given.
 */
export const ALL_GRANTS: Grants = {
  files: { read: 'all', write: 'all' },
  shell: 'allow',
  network: { hosts: ['*'], private: 'all' },
  env: 'all',
  tools: 'all',
  connections: 'all',
  definitions: 'all',
  agents: { start: true, files: true, depth: Number.MAX_SAFE_INTEGER, reach: 'any' },
  models: 'all',
  code: { languages: CODE_LANGUAGES, network: true }
}

/**
 * What two grants both allow: pairwise the narrower host or nothing, the deeper folder or nothing, the names of both, the lesser of two degrees. Neither
 * side's order and nesting matters, and the result is never larger than either. Both are in normal form, and so is the result.
 */
export function intersectGrants(a: Grants, b: Grants): Grants {
  return {
    files: { read: intersectRoots(a.files.read, b.files.read), write: intersectRoots(a.files.write, b.files.write) },
    shell: lesser(SHELL_GRANTS, a.shell, b.shell),
    network: intersectNetworks(a.network, b.network),
    env: intersectNames(a.env, b.env),
    tools: intersectNames(a.tools, b.tools),
    connections: intersectNames(a.connections, b.connections),
    definitions: intersectNames(a.definitions, b.definitions),
    agents: normalAgents({
      start: a.agents.start && b.agents.start,
      files: a.agents.files && b.agents.files,
      depth: Math.min(a.agents.depth, b.agents.depth),
      reach: lesser(AGENT_REACHES, a.agents.reach, b.agents.reach)
    }),
    models: intersectNames(a.models, b.models),
    code: normalCode({
      languages: a.code.languages.filter((language) => b.code.languages.includes(language)),
      network: a.code.network && b.code.network
    })
  }
}

/** The one form in which grants that allow the same are equal as data. The entries themselves are canonical already. */
export function toNormalGrants(grants: Grants): Grants {
  return {
    files: { read: normalRoots(grants.files.read), write: normalRoots(grants.files.write) },
    shell: grants.shell,
    network: normalNetwork(grants.network),
    env: normalNames(grants.env),
    tools: normalNames(grants.tools),
    connections: normalNames(grants.connections),
    definitions: normalNames(grants.definitions),
    agents: normalAgents(grants.agents),
    models: normalNames(grants.models),
    code: normalCode(grants.code)
  }
}

/** Who starts no agents has no depth and reads no definition files; a depth of 0 starts none. */
function normalAgents({ start, files, depth, reach }: Grants['agents']): Grants['agents'] {
  const starts = start && depth > 0
  return { start: starts, files: starts && files, depth: starts ? depth : 0, reach }
}

/** No language is no code, and needs no network. */
function normalCode({ languages, network }: Grants['code']): Grants['code'] {
  return { languages: [...new Set(languages)].toSorted(byText), network: network && languages.length > 0 }
}

function lesser<Degree>(degrees: readonly Degree[], a: Degree, b: Degree): Degree {
  return degrees.indexOf(a) <= degrees.indexOf(b) ? a : b
}
