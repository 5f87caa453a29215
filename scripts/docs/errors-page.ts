import { exitCodeOfError } from '../../packages/cli/src/exit-code.ts'
import { REMEDIES } from '../../packages/cli/src/remedies.ts'
import type { ErrorCode } from '../../packages/runtime/src/contracts/errors.ts'
import { ERROR_CODES } from '../../packages/runtime/src/contracts/errors.ts'
import { ERROR_CASES } from './error-cases.ts'
import { ERROR_CAUSES } from './error-causes.ts'
import { assertCovers, toPage, toTable } from './markdown.ts'

const INTRODUCTION = `Every error has one of these codes, and every code has its page. A program reads \`code\`, and \`retryable\`: whether the same request may succeed
later. The message is for people and may change. \`isHoldfastError(error, 'conflict')\` recognises an error; the command prints \`error[CODE]\` and ends
with the exit code. A run that fails has its code in \`error.code\` of its result, and the command then ends with 1 whatever the code. The codes that
begin with \`http_\` are those of the guarded client: the model reads them as the failure of a call.

If you do not have a code: [troubleshooting](../how-to/troubleshoot.md) goes by what you see.`

const CODES = Object.keys(ERROR_CODES) as ErrorCode[]

/** The table of all codes. */
export function errorsPage(): string {
  assertCovers('causes of errors', ERROR_CAUSES, CODES)
  assertCovers('remedies of errors', REMEDIES, CODES)
  assertCovers('cases of errors', ERROR_CASES, CODES)
  const rows = CODES.map((code) => [`[\`${code}\`](errors/${code}.md)`, ERROR_CAUSES[code], ...toNumbers(code)])
  return toPage('Errors', [INTRODUCTION, toTable(['code', 'what it means', 'HTTP status', 'retryable', 'exit code'], rows)])
}

/** One page for each code, by the name of its file. */
export function errorPages(): { readonly [file: string]: string } {
  return Object.fromEntries(CODES.map((code) => [`errors/${code}.md`, toErrorPage(code)]))
}

function toErrorPage(code: ErrorCode): string {
  const { when, message } = ERROR_CASES[code]
  return toPage(`\`${code}\``, [
    toTable(['HTTP status', 'retryable', 'exit code'], [toNumbers(code)]),
    ERROR_CAUSES[code],
    '## When you meet it',
    when.map((each) => `- ${each}`).join('\n'),
    '## What it says',
    `\`\`\`text\n${message}\n\`\`\``,
    '## What to do',
    REMEDIES[code],
    '[All codes](../errors.md) · [Troubleshooting](../../how-to/troubleshoot.md)'
  ])
}

function toNumbers(code: ErrorCode): readonly string[] {
  const { status, retryable } = ERROR_CODES[code]
  return [String(status), retryable ? 'yes' : 'no', String(exitCodeOfError(code))]
}
