import type { VariableDeclaration } from '../contracts/publication.ts'
import { nearest } from '../util/near-miss.ts'
import type { AgentFault } from './agent-fault.ts'
import type { Path } from './problem.ts'
import { parseTemplate } from './template.ts'
import { createLineFinder } from './text-lines.ts'
import { foldKey } from './variable-key.ts'

/** What is wrong with a template of a definition, and what it names that nobody has declared. Without declarations nobody knows which names there are. */
export async function findTemplateFaults(
  path: Path,
  text: string,
  variables: readonly VariableDeclaration[] | null
): Promise<readonly AgentFault[]> {
  const parsed = await parseTemplate(text)
  const position = createLineFinder(text)
  const at = (offset: number) => `(line ${position(offset).line} of the text)`
  if (!parsed.ok) {
    return parsed.faults.map(({ offset, message, ...rest }) => ({
      ...rest,
      code: 'template',
      path,
      message: `${message} ${at(offset)}`
    }))
  }
  if (variables === null) return []
  const known = new Set(variables.map(({ key }) => foldKey(key)))
  return parsed.template.references
    .map(({ path: [name = ''], offset }) => ({ name, offset }))
    .filter(({ name }) => !known.has(foldKey(name)))
    .map(({ name, offset }) => toUnknown(path, name, at(offset), variables))
}

function toUnknown(path: Path, name: string, place: string, variables: readonly VariableDeclaration[]): AgentFault {
  const keys = variables.map(({ key }) => key)
  const [nearMiss] = nearest(name, keys)
  const expected = keys.length === 0 ? 'a variable that is declared' : `one of ${keys.slice(0, 20).join(', ')}`
  const message = `no variable "${name.slice(0, 100)}" is declared ${place}`
  return { code: 'unknown_variable', path, message, expected, ...(nearMiss === undefined ? {} : { nearMiss }) }
}
