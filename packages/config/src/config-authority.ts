import type { Grants, PermissionRule } from '@holdfast/runtime'
import { parsePermissionRules, parseWrittenGrants } from '@holdfast/runtime'
import type { ConfigFault } from './config-faults.ts'
import type { Fields } from './fields.ts'

/** What a configuration says about what may be done, and what is wrong with it. */
export interface ConfigAuthority {
  readonly found: { readonly grants?: Grants; readonly permissions?: readonly PermissionRule[] }
  readonly faults: readonly ConfigFault[]
}

/** Reads the grants and the permission rules of a document. */
export function readAuthority(document: Fields): ConfigAuthority {
  const grants = document['grants'] === undefined ? undefined : parseWrittenGrants(document['grants'])
  const rules = document['permissions'] === undefined ? undefined : parsePermissionRules(document['permissions'])
  return {
    found: { ...(grants?.ok === true && { grants: grants.value }), ...(rules?.ok === true && { permissions: rules.value }) },
    faults: [...toFaults('grants', grants), ...toFaults('permissions', rules)]
  }
}

function toFaults(
  field: string,
  checked: { readonly ok: boolean; readonly faults?: readonly ConfigFault[] } | undefined
): readonly ConfigFault[] {
  return (checked?.faults ?? []).map((fault) => ({ ...fault, path: [field, ...fault.path] }))
}
