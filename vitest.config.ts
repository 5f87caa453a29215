import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@holdfast/source'] },
  ssr: { resolve: { conditions: ['@holdfast/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    execArgv: ['--conditions=@holdfast/source'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
