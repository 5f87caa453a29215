import type { WaitKind, WaitRow } from '@holdfast/runtime'
import { toShellWord } from './shell-word.ts'
import type { Step } from './situation.ts'

/** The first thing that a person may say about a wait of each kind; nothing for what no person decides. */
const STEPS: { readonly [kind in WaitKind]?: (wait: WaitRow) => Step } = {
  approval: ({ id }) => ({ command: 'approve', wait: id }),
  quarantine: ({ id }) => ({ command: 'quarantine', wait: id, rest: 'retry' }),
  question: ({ id }) => ({ command: 'answer', wait: id, rest: '"..."' }),
  external: ({ id }) => ({ command: 'answer', wait: id, rest: 'RESULT' }),
  outcome: ({ id }) => ({ command: 'outcome', wait: id, rest: 'WORD' }),
  budget: () => ({ command: 'budget extend', rest: 'LIMIT' })
}

/** Whether a wait of this kind is one that a person decides. */
export function isForPeople(kind: WaitKind): boolean {
  return STEPS[kind] !== undefined
}

/** What a person does to decide about a wait; nothing where none does, or where it is decided. */
export function toDecideStep(wait: WaitRow): Step | undefined {
  return wait.state === 'open' ? STEPS[wait.kind]?.(wait) : undefined
}

/** The same as a command line. */
export function toDecideLine(wait: WaitRow, store: string | undefined): string | undefined {
  const step = toDecideStep(wait)
  if (step === undefined) return undefined
  const words = [`holdfast ${step.command}`, toShellWord(step.wait ?? wait.thread), ...(step.rest === undefined ? [] : [step.rest])]
  return [...words, ...(store === undefined ? [] : [`--store ${toShellWord(store)}`])].join(' ')
}
