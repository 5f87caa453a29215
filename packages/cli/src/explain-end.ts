import type { Explanation, Situation, Step } from './situation.ts'
import { renderBudget } from './render-budget.ts'
import { toVisibleLine } from './visible-text.ts'

const AGAIN: Step = { command: 'retry' }
const AGAIN_WITH: Step = { command: 'retry', rest: '"..."' }
const EXTEND: Step = { command: 'budget extend', rest: 'LIMIT' }
const NEXT: Step = { command: 'message', rest: '"..."' }

/** Why a limit stopped a run, by what the run says of it. */
const LIMITS: { readonly [why: string]: (situation: Situation) => Explanation } = {
  turn_limit: ({ info, limits }) => ({
    text: `It was stopped after ${info.row.turns} turns, which is its limit (limits.maxTurns: ${limits.maxTurns}). A retry goes on from there, with as many turns again.`,
    next: [AGAIN]
  }),
  repeated_call: ({ limits }) => ({
    text: `It was stopped because the model asked for the same call again and again (limits.maxRepeatedCalls: ${limits.maxRepeatedCalls}). Say what it is to do instead.`,
    next: [AGAIN_WITH]
  }),
  output_limit: ({ limits }) => ({
    text: `It was stopped because its result is larger than it may be (limits.maxOutputBytes: ${limits.maxOutputBytes}). Ask for a shorter one.`,
    next: [AGAIN_WITH]
  }),
  time_limit: ({ limits }) => ({
    text: `It was stopped because it had lasted as long as it may (limits.runTimeoutMs: ${limits.runTimeoutMs}). A retry goes on from there, with as much time again.`,
    next: [AGAIN]
  }),
  token_budget: describeBudget('its budget of tokens is used up'),
  cost_budget: describeBudget('its budget of cost is used up'),
  cost_unknown: describeBudget('its cost is bounded, and nobody knows what an answer cost'),
  time_budget: describeBudget('its budget of time is used up'),
  tool_call_budget: describeBudget('its budget of tool calls is used up')
}

/** What was used up, and what is left of the others. */
function describeBudget(what: string): (situation: Situation) => Explanation {
  return ({ budget }) => ({
    text: [
      `It was stopped because ${what}.`,
      ...(budget === undefined ? [] : [`${renderBudget(budget).join('; ')}.`]),
      'Extend it, then retry.'
    ].join(' '),
    next: [EXTEND, AGAIN]
  })
}

/** What failed runs have in common, by the code of their error: whose trouble it is, and what helps. */
const FAILURES: { readonly [code: string]: { readonly what: string; readonly next: readonly Step[] } } = {
  ...each(['provider_unavailable', 'provider_overloaded', 'rate_limited', 'stream_interrupted', 'provider_timeout'], {
    what: 'the provider of its model gave no answer, as often as it was asked. That may pass.',
    next: [AGAIN]
  }),
  provider_rejected: {
    what: 'the provider of its model refused the request. Check the key, the model and its settings first.',
    next: [AGAIN]
  },
  response_too_large: { what: 'the answer of the model was larger than it may be. Ask for a shorter one.', next: [AGAIN] },
  output_truncated: {
    what: 'the model reached its output limit before the end of its answer. Raise maxOutputTokens, or ask for less.',
    next: [AGAIN_WITH]
  },
  content_filtered: { what: 'the provider withheld the answer. Ask for something else.', next: [AGAIN_WITH] },
  empty_model_response: { what: 'the model said nothing and called nothing, several times.', next: [AGAIN] },
  output_invalid: { what: 'the answer of the model does not match the output schema, also not when it was told so.', next: [AGAIN_WITH] },
  value_too_large: {
    what: 'the conversation is longer than it may be (limits.maxInputBytes). It needs a new thread, or a definition with a higher limit.',
    next: [{ command: 'show' }]
  },
  usage_missing: {
    what: 'its provider did not say what an answer used, and it has a budget. Whoever sets the budget again lets it go on by estimates.',
    next: [EXTEND, AGAIN]
  },
  quarantined: {
    what: 'the processes that drove it died again and again, and a person gave it up. Mend what was under way first.',
    next: [{ command: 'log' }, AGAIN]
  },
  script_exhausted: { what: 'the script of its model has no turn left.', next: [AGAIN] },
  ...each(['model_unknown', 'secret_missing', 'invalid_config'], {
    what: 'its model could not be made here. Check the configuration first: `holdfast doctor`.',
    next: [AGAIN]
  })
}

/** Why a run that is over has ended. */
export function explainEnd(situation: Situation): Explanation {
  const { row } = situation.info
  if (row.status === 'completed') {
    return {
      text: `Its last run completed in ${row.turns === 1 ? 'one turn' : `${row.turns} turns`}. A message begins the next one.`,
      next: [NEXT]
    }
  }
  if (row.status === 'cancelled') {
    const reason = row.why === undefined || row.why === 'cancelled' ? '' : ` (${toVisibleLine(row.why)})`
    return { text: `Its last run was cancelled${reason}. A message begins the next one.`, next: [NEXT] }
  }
  return row.status === 'stopped' ? explainStop(situation) : explainFailure(situation)
}

function explainStop(situation: Situation): Explanation {
  const { why } = situation.info.row
  const explainLimit = why === undefined ? undefined : LIMITS[why]
  return (
    explainLimit?.(situation) ?? { text: `It was stopped by a limit: ${toVisibleLine(why ?? 'it is not known which')}.`, next: [AGAIN] }
  )
}

function explainFailure({ info, end }: Situation): Explanation {
  const code = end?.error?.code ?? info.row.why ?? 'internal'
  const known = FAILURES[code]
  const message = end?.error === undefined ? '' : ` (${toVisibleLine(end.error.message, 300)})`
  if (known === undefined) return { text: `Its last run failed with ${toVisibleLine(code)}${message}.`, next: [AGAIN] }
  return {
    text: `Its last run failed with ${code}: ${known.what}${message === '' ? '' : ` It said: ${toVisibleLine(end?.error?.message ?? '', 300)}`}`,
    next: known.next
  }
}

function each<Value>(codes: readonly string[], value: Value): { readonly [code: string]: Value } {
  return Object.fromEntries(codes.map((code) => [code, value]))
}
