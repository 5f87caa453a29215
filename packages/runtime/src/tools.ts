// Tools for files and pages. An entry point of its own: who has other tools loads none of these.
export type { GuardedFetchOptions } from './http/guarded-fetch.ts'
export type { HttpLimits } from './http/limits.ts'
export type { NetworkPolicy } from './http/network-policy.ts'
export type { Resolver } from './http/resolver.ts'
export type { FetchUrlInput, FetchUrlTool } from './tools/fetch-url.ts'
export { fetchUrlTool } from './tools/fetch-url.ts'
export type { FileRootsOptions } from './tools/file-roots.ts'
export { fileTools } from './tools/file-tools.ts'
