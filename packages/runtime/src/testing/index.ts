export type { Store } from '../contracts/store.ts'
export type { FakeClock } from './fake-clock.ts'
export { fakeClock } from './fake-clock.ts'
