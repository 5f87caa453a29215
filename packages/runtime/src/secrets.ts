import type { SecretRegistry } from './contracts/secrets.ts'
import { redactError } from './util/redact-error.ts'
import { SecretTable } from './util/secret-table.ts'

/** Makes an empty registry of values that must not stand in anything that is kept or shown. */
export function createSecretRegistry(): SecretRegistry {
  return new SecretTable()
}

/** Does what a caller asked for; what it throws holds no secret, also where it quotes what the caller gave. */
export function withoutSecrets<T>(secrets: SecretRegistry, work: () => Promise<T>): Promise<T> {
  if (secrets.size === 0) return work()
  return work().catch((error: unknown) => {
    throw redactError(error, secrets)
  })
}
