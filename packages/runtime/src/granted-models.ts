// Keeps I8: no model is asked that is not granted, also not one that stands in. Judged before a thread is made and whenever it is driven: before anything is paid for.
import { HoldfastError } from './contracts/errors.ts'
import type { Grants } from './contracts/grants.ts'
import type { Definition } from './contracts/publication.ts'
import { allowsModel } from './grants/permits.ts'
import { candidatesOf, toModelName } from './state/candidate.ts'

/** Throws `model_not_granted` (details: `models`) when a definition asks a model that grants leave out. */
export function assertModelsGranted(grants: Grants, definition: Pick<Definition, 'name' | 'model'>): void {
  if (grants.models === 'all') return
  const left = candidatesOf(definition)
    .map(toModelName)
    .filter((name) => !allowsModel(grants, name))
  if (left.length === 0) return
  const models = [...new Set(left)]
  throw new HoldfastError(
    'model_not_granted',
    `the agent ${definition.name} asks ${models.map((name) => JSON.stringify(name.slice(0, 200))).join(', ')}, which its grants leave out: expected models out of ${grants.models.join(', ') || 'none'}; grant it (\`grants.models\`), or use another one`,
    { details: { models } }
  )
}
