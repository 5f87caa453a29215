// What a holder of grants may do, one question each. Whatever cannot be read as what is asked about is not allowed.
import type { CodeLanguage, GrantedNames, Grants } from '../contracts/grants.ts'
import type { HostRequest } from './host-set.ts'
import { holdsHost } from './host-set.ts'
import { holdsName } from './name-set.ts'
import { holdsPath, toCanonicalRoot } from './root-set.ts'
import { isToolIdentity } from './tool-identity.ts'

/** Whether a path may be read. It is canonical, absolute or named, and its links have been followed: `/a/../b` is nothing that is granted. */
export function allowsRead(grants: Grants, path: string): boolean {
  return allowsPath(grants.files.read, path)
}

/** Whether a path may be written; as `allowsRead`. */
export function allowsWrite(grants: Grants, path: string): boolean {
  return allowsPath(grants.files.write, path)
}

/** Whether a host may be reached, at a public address or at a private one. */
export function allowsHost(grants: Grants, request: HostRequest): boolean {
  return holdsHost(grants.network, request)
}

/** Whether the tool of an identity may run, never of the name that a model sees. */
export function allowsTool(grants: Grants, identity: string): boolean {
  return isToolIdentity(identity) && holdsName(grants.tools, identity)
}

/** Whether a child process may see an environment variable. */
export function allowsEnv(grants: Grants, name: string): boolean {
  return holdsName(grants.env, name)
}

/** Whether a connection may be used. */
export function allowsConnection(grants: Grants, reference: string): boolean {
  return holdsName(grants.connections, reference)
}

/** Whether a registered agent may be started, at this depth or a deeper one. */
export function allowsDefinition(grants: Grants, name: string): boolean {
  return grants.agents.start && holdsName(grants.definitions, name)
}

/** Whether a model may be asked. */
export function allowsModel(grants: Grants, reference: string): boolean {
  return holdsName(grants.models, reference)
}

/** Whether code of a language may run, and with a network. */
export function allowsCode(grants: Grants, language: CodeLanguage, { network = false } = {}): boolean {
  return grants.code.languages.includes(language) && (!network || grants.code.network)
}

function allowsPath(roots: GrantedNames, path: string): boolean {
  return toCanonicalRoot(path) === path && holdsPath(roots, path)
}
