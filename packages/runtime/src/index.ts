export type { Runtime } from './contracts/api.ts'
