import { folderWith, holdfast } from './command-kit.ts'
import type { Turn } from './scripted-agent.ts'
import { scriptedAgent } from './scripted-agent.ts'

/** A tool whose calls an agent has held. */
export const held = (ref: string): object => ({ ref, approval: true })

/** A project whose agent makes these calls in one turn and then says that it is done. */
export function project(
  calls: readonly { readonly name: string; readonly arguments?: unknown }[],
  more: { readonly agent?: object; readonly config?: object; readonly turns?: readonly Turn[] } = {}
): string {
  const { turns = [{ toolCalls: calls }, { text: 'done' }] } = more
  return folderWith({
    ...scriptedAgent(turns, { tools: [held('stamp'), held('pay'), 'echo', 'ask_user'], ...more.agent }),
    'holdfast.config.yaml': JSON.stringify({ version: '1.0', tools: ['./tools.mjs'], ...more.config })
  })
}

/** A wait, as `waits --json` tells it. */
export interface Shown {
  readonly id: string
  readonly kind: string
  readonly thread: string
  readonly agent: string
  readonly subject: { readonly tool?: string; readonly arguments?: unknown }
}

/** What waits. */
export async function waitsOf(folder: string, argv: readonly string[] = []): Promise<readonly Shown[]> {
  const { stdout } = await holdfast(folder, ['waits', '--json', ...argv])
  return (JSON.parse(stdout) as { readonly items: readonly Shown[] }).items
}

/** The id of the only wait of a tool, or of the only question. */
export async function waitOf(folder: string, tool?: string): Promise<string> {
  const found = (await waitsOf(folder)).filter(({ subject }) => subject.tool === tool)
  if (found.length !== 1 || found[0] === undefined) throw new Error(`expected one wait of ${tool}, and there are ${found.length}`)
  return found[0].id
}

/** The document of a command. */
export async function documentOf<T = { readonly [key: string]: unknown }>(
  folder: string,
  argv: readonly string[]
): Promise<T & { readonly exit: number }> {
  const { code, stdout } = await holdfast(folder, [...argv, '--json'])
  return { ...(JSON.parse(stdout) as T), exit: code }
}
