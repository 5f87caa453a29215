import type { AgentDefinition } from './contracts/api.ts'

/** Declares an agent in code. It makes the same publication as a manifest that says the same; `publish` validates it. */
export function defineAgent(definition: AgentDefinition): AgentDefinition {
  return Object.freeze({ ...definition })
}
