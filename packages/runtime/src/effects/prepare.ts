import type { Definition, Publication } from '../contracts/publication.ts'
import type { Tool } from '../contracts/tool.ts'
import type { Validator } from '../manifest/json-schema.ts'
import { compileSchema } from '../manifest/json-schema.ts'
import type { ArgumentsValidator } from '../manifest/tool-arguments.ts'
import { createArgumentsValidator } from '../manifest/tool-arguments.ts'

/** A publication with its schemas compiled: made once per process. */
export interface PreparedPublication {
  readonly definition: Definition
  /** By the name that the model uses. */
  readonly inputs: ReadonlyMap<string, ArgumentsValidator>
  readonly output: Validator | null
}

/** Compiles what a publication's calls and answers are checked with: a tool's own schema where its code is here, else the frozen one. */
export async function preparePublication(
  publication: Publication,
  codeOf: (identity: string) => Tool | undefined
): Promise<PreparedPublication> {
  const { definition } = publication
  const inputs = new Map<string, ArgumentsValidator>()
  for (const tool of definition.tools) {
    const code = codeOf(tool.identity) as Tool<never> | undefined
    const input = code?.input ?? { kind: 'json' as const, jsonSchema: tool.inputSchema }
    inputs.set(tool.name, await createArgumentsValidator({ input }))
  }
  return { definition, inputs, output: definition.outputSchema ? await compileSchema(definition.outputSchema) : null }
}
