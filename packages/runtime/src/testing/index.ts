export type { Store } from '../contracts/store.ts'
