import type { Json } from './contracts/json.ts'
import type { SecretRegistry } from './contracts/secrets.ts'
import type { Logger } from './contracts/tool.ts'

/** A host's logger as the runtime and its tools use it: it is given no secrets (I14), and what it throws stops nothing (I9). */
export function toRuntimeLogger(logger: Logger | undefined, secrets: SecretRegistry): Logger {
  if (!logger) return SILENT
  const at =
    (level: keyof Logger): Logger['info'] =>
    (message, data) => {
      try {
        logger[level](secrets.redact(message), redactData(data, secrets))
      } catch {
        // There is nobody left to tell.
      }
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** What cannot be looked through is not passed on. */
function redactData(data: Json | undefined, secrets: SecretRegistry): Json | undefined {
  if (data === undefined || secrets.size === 0) return data
  try {
    return secrets.redactJson(data)
  } catch {
    return undefined
  }
}

const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
