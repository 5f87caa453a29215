import { describe, expect, test } from 'vitest'
import type { RunStatus } from '@holdfast/runtime'
import { ERROR_CODES } from '@holdfast/runtime'
import { explain } from '../src/explanation.ts'
import type { Situation } from '../src/situation.ts'
import { failed, HOSTILE, LATER, NOW, OWNER, situation, wait } from './explain-kit.ts'
import { folderWith, holdfast, startHoldfast, threadOf } from './command-kit.ts'
import { calling, scriptedAgent } from './scripted-agent.ts'

const STATUS = {
  limit: { maxTotalTokens: 1_000, maxCost: 2 },
  used: { tokens: 800, cost: 1, unpriced: 0, unmetered: 0, durationMs: 5, toolCalls: 3 },
  reservedTokens: 0,
  left: { tokens: 200, cost: 1 }
}

type Row = readonly [name: string, given: Situation, says: readonly string[], next: readonly string[]]

const DECIDE = ['approve wait', 'deny wait --reason "..."']

const ROWS: readonly Row[] = [
  ['queued, alone', situation('queued'), ['accepted', 'nobody'], ['resume']],
  [
    'queued, claimed',
    situation('queued', { info: { owner: OWNER }, life: 'unknown' }),
    ['there:7:abc0', 'another machine'],
    ['attach', 'wait']
  ],
  [
    'running here, asking',
    situation('running', { info: { owner: OWNER }, life: 'alive', activity: { turn: 4, model: 'openai/x' } }),
    ['there:7:abc0', 'lives', 'openai/x in turn 4', '2026-11-30T00:00:10.000Z'],
    ['attach', 'wait']
  ],
  [
    'running, asking again',
    situation('running', { info: { owner: OWNER }, life: 'alive', activity: { turn: 4, model: 'm', failure: 'overloaded' } }),
    ['again', 'overloaded'],
    ['attach', 'wait']
  ],
  [
    'running tools',
    situation('running', { info: { owner: OWNER }, life: 'unknown', activity: { calls: ['pay', 'look'] } }),
    ['runs pay, look'],
    ['attach', 'wait']
  ],
  ['running, owner dead', situation('running', { info: { owner: OWNER }, life: 'dead' }), ['there:7:abc0', 'gone'], ['resume']],
  ['running, let go', situation('running'), ['nobody drives it', 'let go'], ['resume']],
  ['running, let go with its timer due', situation('running', { info: { timerAt: NOW - 1 } }), ['let go'], ['resume']],
  [
    'running, pausing',
    situation('running', { info: { timerAt: LATER }, activity: { turn: 1, failure: 'HTTP 429' } }),
    ['pauses until 2026-11-30T01:00:00.000Z', 'HTTP 429'],
    ['resume']
  ],
  ['waiting for approval', situation('waiting', { waits: [wait('approval')] }), ['approve or refuse', 'pay {"amount":7}'], DECIDE],
  [
    'waiting for approval that expires',
    situation('waiting', { waits: [wait('approval', { expiresAt: LATER })] }),
    ['expires at 2026-11-30T01:00:00.000Z'],
    DECIDE
  ],
  ['waiting for what has expired', situation('waiting', { waits: [wait('approval', { expiresAt: NOW })] }), ['was over at'], ['resume']],
  [
    'waiting for several',
    situation('waiting', { waits: [wait('approval'), wait('question'), wait('timer')] }),
    ['2 more: question, timer'],
    [...DECIDE, 'answer wait "..."']
  ],
  [
    'waiting, decided',
    situation('waiting', { waits: [wait('approval', { state: 'decided' }), wait('question')], info: { pending: 1 } }),
    ['has been decided (approval)'],
    ['resume']
  ],
  [
    'waiting for an answer',
    situation('waiting', { waits: [wait('question', { subject: 'Which year?' })] }),
    ['Which year?'],
    ['answer wait "..."', 'deny wait --reason "..."']
  ],
  ['waiting for an agent', situation('waiting', { waits: [wait('agent', { targets: ['thr_2'] })] }), ['thr_2'], ['show']],
  ['waiting for a monitor', situation('waiting', { waits: [wait('monitor', { targets: ['thr_2'] })] }), ['watches', 'thr_2'], ['show']],
  [
    'waiting for a time',
    situation('waiting', { waits: [wait('timer', { expiresAt: LATER })] }),
    ['sleeps', '2026-11-30T01:00:00.000Z'],
    ['resume']
  ],
  [
    'waiting for a provider',
    situation('waiting', {
      waits: [wait('timer', { expiresAt: LATER, subject: { model: 'main', code: 'rate_limited', message: 'slow down' } })]
    }),
    ['main', 'rate_limited', 'slow down', '2026-11-30T01:00:00.000Z'],
    ['resume']
  ],
  ['waiting for money', situation('waiting', { waits: [wait('budget')] }), ['budget is used up'], ['budget extend LIMIT']],
  [
    'waiting for tokens',
    situation('waiting', { waits: [wait('budget', { subject: { reason: 'tokens', needed: 900, ...STATUS } })] }),
    ['about 900 tokens', '800 of 1000 tokens used, 200 left', '$1 of $2 used'],
    ['budget extend LIMIT']
  ],
  ['waiting for an event', situation('waiting', { waits: [wait('event', { subject: 'shipped' })] }), ['event: shipped'], ['show']],
  [
    'waiting for the outside',
    situation('waiting', { waits: [wait('external', { subject: 'a form' })] }),
    ['outside: a form'],
    ['answer wait RESULT', 'deny wait --reason "..."']
  ],
  [
    'waiting for an outcome',
    situation('waiting', { waits: [wait('outcome')] }),
    ['whether the call pay', 'happened'],
    ['outcome wait happened --result RESULT', 'outcome wait not-happened', 'outcome wait unknown']
  ],
  [
    'waiting in quarantine',
    situation('waiting', { waits: [wait('quarantine')] }),
    ['set aside'],
    ['log', 'quarantine wait retry', 'quarantine wait give-up']
  ],
  [
    'waiting for something missing',
    situation('waiting', { waits: [wait('missing', { subject: 'tool:pay' })] }),
    ['tool:pay'],
    ['resume --tools FILE']
  ],
  ['waiting for nothing known', situation('waiting'), ['nothing is known'], ['show']],
  ['waiting, held', situation('waiting', { waits: [wait('approval')], info: { pending: 2 } }), ['2 items lie'], ['waits --thread']],
  ['waiting, replied', situation('waiting', { waits: [wait('question')], info: { pending: 1 } }), ['One item lies'], ['resume']],
  ['completed', situation('completed', { row: { turns: 1 } }), ['completed in one turn'], ['message "..."']],
  ['completed with a message', situation('completed', { info: { pending: 1 } }), ['3 turns', 'next run begins'], ['resume']],
  ['cancelled', situation('cancelled', { row: { why: 'wrong folder' } }), ['cancelled (wrong folder)'], ['message "..."']],
  ['cancelled without a reason', situation('cancelled', { row: { why: 'cancelled' } }), ['was cancelled. A'], ['message "..."']],
  ['stopped by turns', situation('stopped', { row: { why: 'turn_limit', turns: 100 } }), ['100 turns', 'limits.maxTurns: 100'], ['retry']],
  [
    'stopped by its budget',
    situation('stopped', { row: { why: 'token_budget' }, budget: STATUS }),
    ['800 of 1000'],
    ['budget extend LIMIT', 'retry']
  ],
  [
    'stopped by a cost that nobody knows',
    situation('stopped', { row: { why: 'cost_unknown' } }),
    ['nobody knows'],
    ['budget extend LIMIT', 'retry']
  ],
  ['stopped by repetition', situation('stopped', { row: { why: 'repeated_call' } }), ['limits.maxRepeatedCalls: 8'], ['retry "..."']],
  ['stopped by its output', situation('stopped', { row: { why: 'output_limit' } }), ['limits.maxOutputBytes: 777'], ['retry "..."']],
  ['stopped by time', situation('stopped', { row: { why: 'time_limit' } }), ['limits.runTimeoutMs: 60000'], ['retry']],
  ['stopped by what it does not know', situation('stopped', { row: { why: 'new_limit' } }), ['new_limit'], ['retry']],
  [
    'failed by the provider',
    situation('failed', failed('provider_overloaded')),
    ['provider_overloaded', 'That may pass', 'said the provider'],
    ['retry']
  ],
  ['failed by a refusal', situation('failed', failed('provider_rejected')), ['key', 'said the provider'], ['retry']],
  ['failed by a cut answer', situation('failed', failed('output_truncated')), ['maxOutputTokens'], ['retry "..."']],
  ['failed by its schema', situation('failed', failed('output_invalid')), ['output schema'], ['retry "..."']],
  ['failed by its length', situation('failed', failed('value_too_large')), ['limits.maxInputBytes'], ['show']],
  ['failed by a model that cannot be made', situation('failed', failed('secret_missing')), ['holdfast doctor'], ['retry']],
  ['failed by what it does not know', situation('failed', failed('new_trouble')), ['new_trouble (said the provider)'], ['retry']],
  ['failed, without its end', situation('failed', { row: { why: 'internal' } }), ['internal'], ['retry']]
]

const nextOf = (given: Situation): readonly string[] =>
  explain(given).next.map(({ command, wait: id, rest }) =>
    [command, ...(id === undefined ? [] : ['wait']), ...(rest === undefined ? [] : [rest])].join(' ')
  )

describe('an explanation', () => {
  test.for(ROWS)('of a thread that is %s', ([, given, says, next]) => {
    const { text } = explain(given)
    for (const part of says) expect(text).toContain(part)
    expect(nextOf(given)).toEqual(next)
  })

  test('is there for every status, every kind of wait and every error, in three short sentences at most', () => {
    const statuses: readonly RunStatus[] = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'stopped']
    expect(new Set(ROWS.map(([, given]) => given.info.row.status))).toEqual(new Set(statuses))
    const kinds = [
      'approval',
      'question',
      'agent',
      'monitor',
      'timer',
      'budget',
      'event',
      'external',
      'outcome',
      'quarantine',
      'missing'
    ] as const
    const everything = [
      ...ROWS.map(([, given]) => given),
      ...statuses.flatMap((status) =>
        (['alive', 'dead', 'unknown'] as const).map((life) => situation(status, { info: { owner: OWNER }, life }))
      ),
      ...statuses.flatMap((status) => [situation(status), situation(status, { info: { pending: 1 } })]),
      ...kinds.flatMap((kind) =>
        [{}, { expiresAt: LATER }, { subject: null }, { targets: [] }].map((over) => situation('waiting', { waits: [wait(kind, over)] }))
      ),
      ...Object.keys(ERROR_CODES).flatMap((code) => [situation('failed', failed(code)), situation('failed', { row: { why: code } })])
    ]
    for (const given of everything) {
      const { text, next } = explain(given)
      expect(text).toMatch(/^[A-Z].*[.?)\w"}]$/)
      expect(text).not.toMatch(/undefined|null|NaN|\[object/)
      expect(text.length).toBeLessThan(500)
      expect(next.length).toBeGreaterThan(0)
    }
  })

  test('lets nothing through that steers a terminal', () => {
    const over = {
      waits: [
        wait('approval', { subject: { tool: HOSTILE, arguments: HOSTILE }, targets: [HOSTILE] }),
        wait('question', { subject: HOSTILE })
      ]
    }
    const hostile = [
      situation('waiting', over),
      situation('waiting', { waits: over.waits.slice(1) }),
      situation('failed', failed(HOSTILE, HOSTILE)),
      situation('failed', failed('provider_rejected', HOSTILE)),
      situation('stopped', { row: { why: HOSTILE } }),
      situation('cancelled', { row: { why: HOSTILE } }),
      situation('running', { info: { owner: { ...OWNER, worker: HOSTILE } }, life: 'alive', activity: { calls: [HOSTILE] } }),
      situation('running', { info: { timerAt: LATER }, activity: { failure: HOSTILE, model: HOSTILE, turn: 1 } })
    ]
    for (const given of hostile) expect(explain(given).text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  })
})

describe('holdfast explain', () => {
  test('says what happened and what to do, in words and as a document', async () => {
    const folder = folderWith(scriptedAgent([calling('echo', { text: '1' })], { tools: ['echo'], limits: { maxTurns: 1 } }))
    const thread = threadOf(await holdfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs']))
    const told = await holdfast(folder, ['explain', thread])
    expect(told).toMatchObject({ code: 0, stderr: '' })
    expect(told.stdout).toContain('limits.maxTurns: 1')
    expect(told.stdout).toContain(`  holdfast retry ${thread}\n`)
    expect(JSON.parse((await holdfast(folder, ['explain', thread, '--json'])).stdout)).toEqual({
      thread,
      status: 'stopped',
      driving: 'resting',
      why: 'turn_limit',
      explanation: told.stdout.split('\n')[0],
      next: [`holdfast retry ${thread}`]
    })
    expect((await holdfast(folder, ['explain', 'thr_none'])).code).toBe(2)
  })

  test('names the owner of a running thread and its call, and sees when it has died', async () => {
    const folder = folderWith(scriptedAgent([calling('pay', { ms: 60_000 }), { text: 'done' }], { tools: ['pay'] }))
    const running = startHoldfast(folder, ['run', 'agent.yaml', '--tools', 'tools.mjs'])
    await running.until(/pay started/)
    const thread = threadOf(running.stderr())
    const alive = (await holdfast(folder, ['explain', thread])).stdout
    expect(alive).toContain(`:${running.child.pid}:`)
    expect(alive).toContain('runs pay')
    running.child.kill('SIGKILL')
    await running.ended
    const dead = (await holdfast(folder, ['explain', thread])).stdout
    expect(dead).toContain('is gone')
    expect(dead).toContain(`holdfast resume ${thread}`)
  })
})
