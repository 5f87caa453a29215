import type { Logger } from '@holdfast/runtime'
import type { Output } from './output.ts'
import { toVisibleLine } from './visible-text.ts'

/** What the runtime tells, as lines of progress: what is wrong, and why. */
export function createLogger(output: Pick<Output, 'paint' | 'progress'>): Logger {
  const silent = (): void => undefined
  const tell: Logger['warn'] = (message, data) => {
    const line = `${message}${toReason(data)}`
    output.progress(output.paint(`warning: ${toVisibleLine(line, 500)}`, 'yellow'))
  }
  return { debug: silent, info: silent, warn: tell, error: tell }
}

function toReason(data: Parameters<Logger['warn']>[1]): string {
  const isNamed = typeof data === 'object' && data !== null && 'error' in data
  return isNamed && typeof data.error === 'string' ? `: ${data.error}` : ''
}
