import type { Grants, GrantsInput } from '../src/contracts/grants.ts'
import {
  allowsCode,
  allowsConnection,
  allowsDefinition,
  allowsEnv,
  allowsHost,
  allowsModel,
  allowsRead,
  allowsTool,
  allowsWrite
} from '../src/grants/permits.ts'

/** A field of grants: a little of it, and more. */
export interface GrantRow {
  readonly field: string
  readonly narrow: GrantsInput
  readonly wide: GrantsInput
  /** Whether these grants hold what only the wide ones do. */
  readonly reaches: (grants: Grants) => boolean
}

const STARTS = { start: true, depth: 1 }
/** Every field. */
export const GRANT_ROWS: readonly GrantRow[] = [
  {
    field: 'files.read',
    narrow: { files: { read: ['/data/in'] } },
    wide: { files: { read: ['/data'] } },
    reaches: (grants) => allowsRead(grants, '/data/out')
  },
  {
    field: 'files.write',
    narrow: { files: { write: ['workspace:/a'] } },
    wide: { files: { write: 'all' } },
    reaches: (grants) => allowsWrite(grants, 'workspace:/b')
  },
  { field: 'shell', narrow: { shell: 'approval' }, wide: { shell: 'allow' }, reaches: ({ shell }) => shell === 'allow' },
  {
    field: 'network.hosts',
    narrow: { network: { hosts: ['*.a.example'] } },
    wide: { network: { hosts: ['*'] } },
    reaches: (grants) => allowsHost(grants, { host: 'b.example', port: 443 })
  },
  {
    field: 'network.private',
    narrow: { network: { hosts: ['a.example:80'] } },
    wide: { network: { hosts: ['a.example:80'], private: true } },
    reaches: (grants) => allowsHost(grants, { host: 'a.example', port: 80, isPrivate: true })
  },
  { field: 'env', narrow: { env: ['HOME'] }, wide: { env: 'all' }, reaches: (grants) => allowsEnv(grants, 'KEY') },
  { field: 'tools', narrow: {}, wide: { tools: 'all' }, reaches: (grants) => allowsTool(grants, 'host:pay') },
  {
    field: 'connections',
    narrow: { connections: ['git'] },
    wide: { connections: ['git', 'mail'] },
    reaches: (grants) => allowsConnection(grants, 'mail')
  },
  {
    field: 'definitions',
    narrow: { agents: STARTS, definitions: ['a'] },
    wide: { agents: STARTS, definitions: 'all' },
    reaches: (grants) => allowsDefinition(grants, 'b')
  },
  { field: 'agents.start', narrow: {}, wide: { agents: STARTS }, reaches: ({ agents }) => agents.start },
  {
    field: 'agents.files',
    narrow: { agents: STARTS },
    wide: { agents: { ...STARTS, files: true } },
    reaches: ({ agents }) => agents.files
  },
  {
    field: 'agents.depth',
    narrow: { agents: STARTS },
    wide: { agents: { start: true, depth: 9 } },
    reaches: ({ agents }) => agents.depth > 1
  },
  {
    field: 'agents.reach',
    narrow: { agents: STARTS },
    wide: { agents: { ...STARTS, reach: 'any' } },
    reaches: ({ agents }) => agents.reach === 'any'
  },
  { field: 'models', narrow: { models: ['main'] }, wide: { models: 'all' }, reaches: (grants) => allowsModel(grants, 'big') },
  {
    field: 'code.languages',
    narrow: { code: { languages: ['bash'] } },
    wide: { code: { languages: ['bash', 'python'] } },
    reaches: (grants) => allowsCode(grants, 'python')
  },
  {
    field: 'code.network',
    narrow: { code: { languages: ['bash'] } },
    wide: { code: { languages: ['bash'], network: true } },
    reaches: (grants) => allowsCode(grants, 'bash', { network: true })
  }
]
