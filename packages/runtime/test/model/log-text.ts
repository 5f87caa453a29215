import type { Fact } from '../../src/contracts/fact.ts'
import type { Model } from './model.ts'
import type { WitnessedThread } from './witness.ts'

/** The logs of a schedule as a person reads them: one line for each commit. */
export function toLogText(model: Model): string {
  const lines = [`seed ${model.seed}, ${model.scheduler.steps} steps, limits ${JSON.stringify(model.publication.definition.limits)}`]
  for (const [id, thread] of model.witness.threads) {
    lines.push(`${id} attempt ${thread.attempt} ${thread.owned ? 'owned' : 'released'}, items ${[...thread.items.keys()].join(' ')}`)
    lines.push(...toLines(thread))
    lines.push(`  open waits: ${[...thread.openWaits].join(' ')}`)
  }
  const calls = [...model.effects.records].map(([key, record]) => `${key}:${record.tool}=${record.starts}/${record.landings}`)
  lines.push(`effects (starts/landings): ${calls.join(' ')}`)
  return lines.join('\n')
}

function toLines(thread: WitnessedThread): readonly string[] {
  const [first] = thread.commits
  return thread.commits.map(
    ({ sequence, attempt, at, facts }) => `  #${sequence} a${attempt} t${at - (first?.at ?? 0)} ${facts.map(toText).join(' · ')}`
  )
}

function toText(fact: Fact): string {
  const cause = fact.cause === undefined ? '' : ` <${fact.cause}>`
  return `${fact.type}(${toDetails(fact)})${cause}`
}

function toDetails(fact: Fact): string {
  if (fact.type === 'turn.started' || fact.type === 'model.failed') return `${fact.turn}#${fact.try}${'why' in fact ? ` ${fact.why}` : ''}`
  if (fact.type === 'model.responded') {
    const parts = 'inline' in fact.parts ? fact.parts.inline : []
    return `${fact.turn}: ${parts.map((part) => ('tool' in part ? part.tool : part.type)).join(',')} ${fact.finish}`
  }
  if (fact.type === 'call.gated') return `${fact.call} ${fact.verdict}`
  if (fact.type === 'call.started') return `${fact.call}#${fact.try}.${fact.leg} ${fact.effect}`
  if (fact.type === 'call.settled') return `${fact.call} ${fact.outcome}`
  if (fact.type === 'wait.opened') return fact.wait
  if (fact.type === 'wait.resolved') return `${fact.wait} ${fact.as} ${JSON.stringify(fact.decision ?? null)}`
  if (fact.type === 'run.ended') return `${fact.run} ${fact.status} ${fact.why ?? ''}`
  if (fact.type === 'item.discarded') return fact.why
  if (fact.type === 'attempt.claimed') return fact.why
  return fact.run ?? ''
}
