import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@holdfast/source'] },
  ssr: { resolve: { conditions: ['@holdfast/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    execArgv: ['--conditions=@holdfast/source'],
    maxWorkers: 2,
    // Guards against hanging: many times what anything takes, also where other programs want the processor.
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
})
