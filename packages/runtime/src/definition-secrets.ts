import type { Definition } from './contracts/publication.ts'
import type { SecretRegistry } from './contracts/secrets.ts'
import type { AgentFault } from './manifest/agent-fault.ts'
import { toCodeProblems } from './manifest/agent-fault.ts'
import type { Path } from './manifest/problem.ts'
import { toManifestError } from './manifest/problem.ts'

/** Refuses a definition with a secret in it (I14): a publication cannot be changed any more. Throws `invalid_manifest` (details: `problems`). */
export function assertSecretFree(definition: Definition, secrets: SecretRegistry): void {
  if (secrets.size === 0) return
  const names = secrets.namesIn(JSON.stringify(definition))
  if (names.length === 0) return
  const faults = findSecrets(definition, [], secrets)
  // A secret that is itself JSON may stand in no single text.
  const told = faults.length > 0 ? faults : [toFault(names, [])]
  throw toManifestError(definition.name, toCodeProblems(definition.name, told))
}

function findSecrets(value: unknown, path: Path, secrets: SecretRegistry): readonly AgentFault[] {
  if (value === null || typeof value !== 'object') {
    const names = secrets.namesIn(String(value))
    return names.length === 0 ? [] : [toFault(names, path)]
  }
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, item]) => {
    const names = secrets.namesIn(String(key))
    return [...(names.length === 0 ? [] : [toFault(names, path)]), ...findSecrets(item, [...path, key], secrets)]
  })
}

function toFault(names: readonly string[], path: Path): AgentFault {
  const message = `a secret (${names.join(', ')}) stands here`
  return { code: 'invalid', path, message, expected: 'no secrets in a definition: tools and providers read them themselves' }
}
