export type { Runtime } from '@holdfast/runtime'
