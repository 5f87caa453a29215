import { expect, test } from 'vitest'
import { createLogger } from '../src/command-logger.ts'

test('what goes wrong in the runtime is told with its reason, on one line that is safe to show', () => {
  const told: string[] = []
  const logger = createLogger({ paint: (text) => text, progress: (line) => void told.push(line) })
  logger.warn('threads could not be claimed', { error: 'No space is left for holdfast.db.\n\u001b[2J' })
  logger.error('a sink is slow', { lost: 3 })
  logger.warn('it is late')
  logger.info('nothing that anybody must know', { error: 'x' })
  expect(told).toHaveLength(3)
  expect(told[0]).toContain('No space is left for holdfast.db.')
  expect(told[0]).not.toMatch(/[\n\u001b]/)
})
