// Prints `N passed, N failed` from the report of Vitest and the number of other steps that failed. Exit code 1 when anything did.
import { existsSync, readFileSync } from 'node:fs'

type Report = {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[]
}

const NOTHING: Report = { success: false, numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] }

const [path = '', steps = '0'] = process.argv.slice(2)
const report = readReport(path)
const failed = Number(steps) + failedTests(report)
if (report.numPendingTests > 0) console.log(`skipped tests: ${report.numPendingTests}`)
console.log(`${report.numPassedTests} passed, ${failed} failed`)
if (failed > 0 || report.numPassedTests === 0) process.exitCode = 1

function readReport(file: string): Report {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : NOTHING
}

/** Failed tests, and files that failed outside of their tests; at least one when the run as a whole failed. */
function failedTests(run: Report): number {
  const broken = run.testResults.filter((file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'))
  const count = run.numFailedTests + broken.length
  return count === 0 && !run.success && run !== NOTHING ? 1 : count
}
