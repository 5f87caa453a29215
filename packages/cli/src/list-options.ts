import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { Labels, RunStatus, ThreadQuery } from '@holdfast/runtime'
import { label } from './label-option.ts'
import { pointInTime } from './point-in-time.ts'

const STATUSES: readonly RunStatus[] = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'stopped']

/** Which threads a list shows. */
export interface ListOptions {
  readonly status?: readonly RunStatus[]
  readonly label?: Labels
  readonly since?: number
  readonly after?: string
}

/** Adds the options that say which threads a list shows. `since` says what must have happened since then. */
export function addListOptions(command: Command, { since }: { readonly since: string }): Command {
  return command
    .option('--status <list>', `only threads in these states: ${STATUSES.join(', ')}`, parseStatuses)
    .option('--label <key=value>', 'only threads that were started with this label (repeatable: with all of them)', label)
    .option('--since <time>', `${since}: 2026-11-30, 2026-11-30T08:00Z, or how long ago: 7d`, pointInTime)
    .option('--after <cursor>', 'go on behind a page: its `next`')
}

/** The query of a list; where it begins is left to the caller. */
export function toThreadQuery({ status, label: labels, since }: ListOptions): Pick<ThreadQuery, 'status' | 'labels' | 'since'> {
  return {
    ...(status === undefined ? {} : { status }),
    ...(labels === undefined ? {} : { labels }),
    ...(since === undefined ? {} : { since })
  }
}

function parseStatuses(text: string): readonly RunStatus[] {
  return text.split(',').map((each) => {
    const found = STATUSES.find((status) => status === each.trim())
    if (found === undefined) throw new InvalidArgumentError(`"${each.trim()}" is none of ${STATUSES.join(', ')}.`)
    return found
  })
}
