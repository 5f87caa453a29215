import { dirname, resolve } from 'node:path'
import type { AgentManifest, HoldfastError, Problem } from '@holdfast/runtime'
import { isHoldfastError, parseAgentManifest, parseYaml } from '@holdfast/runtime'
import type { Config } from './config.ts'
import { toProblem, toProblemsError } from './config-faults.ts'
import { readText } from './text-file.ts'

/** A registered agent that was read. */
export interface RegisteredAgent {
  readonly path: string
  readonly manifest: AgentManifest
}

/**
 * Reads the agents that a configuration registers, by their names. Throws `invalid_config` with everything that is wrong: where the configuration names a
 * file that is none, and what is wrong in the others, each at its place.
 */
export async function loadAgents(config: Config): Promise<{ readonly [name: string]: RegisteredAgent }> {
  const { file, agents = {} } = config
  const folder = file === undefined ? '' : dirname(file)
  const found: { [name: string]: RegisteredAgent } = {}
  const problems: Problem[] = []
  for (const [name, path] of Object.entries(agents)) {
    const whole = resolve(folder, path)
    try {
      found[name] = { path: whole, manifest: await parseAgentManifest(await readText(whole), whole) }
    } catch (error) {
      if (!isHoldfastError(error)) throw error
      problems.push(...(await toProblems(config, name, error)))
    }
  }
  if (problems.length > 0) throw toProblemsError(file ?? 'the configuration', problems)
  return found
}

/** What is wrong with an agent, in the configuration and in the file that it names. */
async function toProblems({ file }: Config, name: string, error: HoldfastError): Promise<readonly Problem[]> {
  const inside = error.code === 'invalid_manifest' ? (error.details['problems'] as unknown as readonly Problem[]) : []
  const message = inside.length > 0 ? 'this agent cannot be used' : error.message.replace(/\.$/, '')
  const fault = { code: 'invalid', path: ['agents', name], message, expected: 'the path of an agent file' } as const
  if (file === undefined) return [{ ...fault, path: `agents.${name}`, file: 'the configuration', line: 0, column: 0 }, ...inside]
  // Only now is it of interest where that stands.
  return [toProblem(await parseYaml(await readText(file), file), fault), ...inside]
}
