/** Whose tool it is: of the host, of the operating system, of the agents, of a plugin, of a connection (MCP), or the code of a step. */
export type ToolIdentity =
  | { readonly kind: 'host' | 'os' | 'agent'; readonly name: string }
  | { readonly kind: 'plugin'; readonly plugin: string; readonly tool: string }
  | { readonly kind: 'mcp'; readonly connection: string; readonly tool: string }
  | { readonly kind: 'code' }

/** What can stand where the identity of a tool is wanted. */
export const TOOL_IDENTITIES = '"host:name", "os:name", "agent:name", "plugin:name/tool", "mcp:connection/tool" or "code"'

/**
 * Reads the identity of a tool, or gives nothing when it is none. Nothing is folded: letters of another case or script, and hyphens for underscores, are
 * another tool.
 */
export function parseToolIdentity(text: string): ToolIdentity | undefined {
  if (text === 'code') return { kind: 'code' }
  const [, kind, name] = OWN.exec(text) ?? []
  if (name !== undefined) return { kind: kind as 'host' | 'os' | 'agent', name }
  const [, plugin, given] = GIVEN.exec(text) ?? []
  if (plugin !== undefined && given !== undefined) return { kind: 'plugin', plugin, tool: given }
  const [, connection, tool] = CONNECTED.exec(text) ?? []
  return connection === undefined || tool === undefined ? undefined : { kind: 'mcp', connection, tool }
}

const OWN = /^(host|os|agent):([A-Za-z_][A-Za-z0-9_-]{0,63})$/
const GIVEN = /^plugin:([A-Za-z0-9][A-Za-z0-9._-]{0,63})\/([A-Za-z_][A-Za-z0-9_-]{0,63})$/
const CONNECTED = /^mcp:([^\s\p{C}/]{1,100})\/([^\s\p{C}]{1,128})$/u

/** Whether a text is the identity of a tool. */
export function isToolIdentity(text: string): boolean {
  return text === 'code' || OWN.test(text) || GIVEN.test(text) || CONNECTED.test(text)
}

/** The text of an identity: `parseToolIdentity` of it gives the identity back. */
export function toToolIdentityText(identity: ToolIdentity): string {
  switch (identity.kind) {
    case 'code':
      return 'code'
    case 'plugin':
      return `plugin:${identity.plugin}/${identity.tool}`
    case 'mcp':
      return `mcp:${identity.connection}/${identity.tool}`
    case 'host':
    case 'os':
    case 'agent':
      return `${identity.kind}:${identity.name}`
  }
}

/** What the owner of a tool calls it. */
export function ownNameOf(identity: ToolIdentity): string {
  if (identity.kind === 'code') return 'code'
  return 'tool' in identity ? identity.tool : identity.name
}
