import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, holdfast, threadOf } from './command-kit.ts'
import { calling, openGate, scriptedAgent } from './scripted-agent.ts'
import { atTerminal } from './terminal-kit.ts'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(32, 1)])
const PROMPT = /> $/
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const UP = '\u001b[A'

describe('holdfast chat at a terminal', () => {
  test('asks, answers while it comes, and asks again until Ctrl-D', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'Hello there.' }, { text: 'Fine.' }]))
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type('hello\r')
    await chat.until(/Hello there\.\n/)
    await chat.until(PROMPT)
    chat.type('how are you\r')
    await chat.until(/Fine\.\n/)
    await chat.until(PROMPT)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
    expect(chat.screen()).toMatch(/\nGo on with: holdfast chat agent\.yaml thr_\w+\n$/)
    expect(chat.screen().match(/Hello there/g)).toHaveLength(1)
    // Pasting is told apart, and the terminal is left as it was found.
    expect(chat.raw().indexOf('\u001b[?2004h')).toBeLessThan(chat.raw().indexOf('\u001b[?2004l'))
  })

  test('shows a conversation that it goes on with, and has its messages as history', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }, { text: 'Two.' }]))
    const thread = threadOf(await holdfast(folder, ['chat', 'agent.yaml'], { stdin: 'say one\n' }))
    const chat = atTerminal(folder, ['chat', 'agent.yaml', thread])
    await chat.until(/person: say one\n/)
    await chat.until(/agent: One\.\n/)
    await chat.until(PROMPT)
    chat.type(`${UP}\r`)
    await chat.until(/> say one\n/)
    await chat.until(/Two\.\n/)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
  })

  test('keeps pasted lines together, and goes on after a backslash', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'both', when: 'a\nb\nc' }, { text: 'three', when: 'd\ne' }, { text: 'wrong' }]))
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type('\u001b[200~a\rb\rc\u001b[201~')
    chat.type('\r')
    await chat.until(/both\n/)
    await chat.until(PROMPT)
    chat.type('d\\\r')
    await chat.until(/\. $/)
    chat.type('e\r')
    await chat.until(/three\n/)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
  })

  test('attaches images by command, by a path that is dropped, and by one in the text', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'Seen.' }]))
    for (const name of ['a.png', 'b c.png', 'd.png']) writeFileSync(join(folder, name), PNG)
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type('/image a.png\r')
    await chat.until(/attached to the next message: .*a\.png \(image\/png, 40 bytes\)/)
    chat.type('b\\ c.png\r')
    await chat.until(/attached to the next message: .*b c\.png/)
    chat.type('/image gone.png\r')
    await chat.until(/error\[file_not_found\]/)
    chat.type('compare them with d.png and e.png\r')
    await chat.until(/Seen\./)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
    const { stdout } = await holdfast(folder, ['log', threadOf(chat.screen()), '--jsonl'])
    expect([...stdout.matchAll(/"filename":"([^"]+)"/g)].map(([, name]) => name)).toEqual(['a.png', 'b c.png', 'd.png'])
  })

  test('a message while the agent works is read at its next turn, and what is said waits while it is typed', async () => {
    const turns = [
      { text: 'I wait.', toolCalls: [{ name: 'gate' }] },
      { text: 'wrong order', when: 'opened' },
      { text: 'I stop then.', when: 'stop' }
    ]
    const folder = folderWith(scriptedAgent(turns, { tools: ['gate'] }))
    const chat = atTerminal(folder, ['chat', 'agent.yaml', '--tools', 'tools.mjs'])
    await chat.until(PROMPT)
    chat.type('wait\r')
    await chat.until(/gate started/)
    chat.type('please sto')
    await chat.until(/> please sto/)
    chat.type('p\r')
    await chat.until(/queued for the next turn\n/)
    openGate(folder)
    await chat.until(/gate ok/)
    await chat.until(/I stop then\.\n/)
    await chat.until(PROMPT)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
    expect(chat.screen()).not.toContain('wrong order')
  })

  test('what is typed when the agent comes to rest is not lost', async () => {
    const folder = folderWith(
      scriptedAgent([calling('gate'), { text: 'Slow.', when: 'opened' }, { text: 'Next.', when: 'half and half' }], { tools: ['gate'] })
    )
    const chat = atTerminal(folder, ['chat', 'agent.yaml', '--tools', 'tools.mjs'])
    await chat.until(PROMPT)
    chat.type('go\r')
    await chat.until(/gate started/)
    chat.type('half and')
    await chat.until(/> half and/)
    openGate(folder)
    await chat.until(/Slow\.\n[\s\S]*> half and/)
    chat.type(' half\r')
    await chat.until(/Next\.\n/)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
  })

  test('Ctrl-C lets go of what is driven, and says how to go on', async () => {
    const folder = folderWith(scriptedAgent([calling('stamp'), { text: 'late', delayMs: 600_000 }], { tools: ['stamp'] }))
    const chat = atTerminal(folder, ['chat', 'agent.yaml', '--tools', 'tools.mjs'])
    await chat.until(PROMPT)
    chat.type('hello\r')
    await chat.until(/stamp ok/)
    chat.type(CTRL_C)
    expect(await chat.ended).toBe(130)
    const thread = threadOf(chat.screen())
    expect(chat.screen()).toContain(`Go on with: holdfast chat agent.yaml ${thread}`)
    expect(JSON.parse((await holdfast(folder, ['show', thread, '--json'])).stdout)).toMatchObject({
      thread: { row: { status: 'running' } }
    })
  })

  test('Ctrl-C at the prompt ends, and says how to go on', async () => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }]))
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type('hello\r')
    await chat.until(/One\.\n[\s\S]*> $/)
    chat.type(`half a line${CTRL_C}`)
    expect(await chat.ended).toBe(130)
    expect(chat.screen()).toMatch(/Go on with: holdfast chat agent\.yaml thr_/)
  })

  test('tells how to talk, and sends nothing for it', async () => {
    const folder = folderWith(scriptedAgent([]))
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type('/help\r')
    await chat.until(/\/image PATH/)
    await chat.until(PROMPT)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
    expect(chat.screen()).not.toContain('thr_')
  })

  test.each(['/exit', '/quit'])('%s ends as Ctrl-D does', async (word) => {
    const folder = folderWith(scriptedAgent([{ text: 'One.' }]))
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type('hello\r')
    await chat.until(/One\.\n[\s\S]*> $/)
    chat.type(`${word}\r`)
    expect(await chat.ended).toBe(0)
    expect(chat.screen()).toMatch(/Go on with: holdfast chat agent\.yaml thr_/)
  })

  test.each(['/canel the run', '/image', '/Exit now'])('sends no command that it does not know to the model: %s', async (line) => {
    const folder = folderWith(scriptedAgent([]))
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type(`${line}\r`)
    await chat.until(/\/help/)
    await chat.until(PROMPT)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
    expect(chat.screen()).not.toContain('thr_')
  })

  test.each(['/etc/hosts is odd', ' /canel is what I typed', '/'])('sends what only begins like a command: %s', async (line) => {
    const folder = folderWith(scriptedAgent([{ text: 'Heard.', when: line }]))
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type(`${line}\r`)
    await chat.until(/Heard\.\n/)
    chat.type(CTRL_D)
    expect(await chat.ended).toBe(0)
  })

  test('an answer does not steer the terminal', async () => {
    const folder = folderWith(scriptedAgent([{ text: '\u001b[2J\u001b]52;c;aWQK\u0007gone' }]))
    const chat = atTerminal(folder, ['chat', 'agent.yaml'])
    await chat.until(PROMPT)
    chat.type('hello\r')
    await chat.until(/gone/)
    chat.type(CTRL_D)
    await chat.ended
    expect(chat.raw()).toContain('\\x1b[2J')
    expect(chat.raw()).not.toContain('\u001b[2J')
    expect(chat.raw()).not.toContain('\u0007')
  })
})
