import type { Config } from '@holdfast/config'
import type { SecretRegistry } from '@holdfast/runtime'
import type { Environment } from './env-file.ts'
import { loadConfiguration, loadRuntime } from './libraries.ts'

/** The secrets of one command line. As long as none was looked up there is nothing to hide, and nothing is loaded. */
export class CommandSecrets {
  #registry: SecretRegistry | undefined

  /** What the runtime and the models are given. */
  async registry(): Promise<SecretRegistry> {
    const { createSecretRegistry } = await loadRuntime()
    this.#registry ??= createSecretRegistry()
    return this.#registry
  }

  /** Registers what a configuration refers to, before anything is taken that may hold it. */
  async register(config: Config, env: Environment): Promise<void> {
    const { registerSecrets } = await loadConfiguration()
    registerSecrets(config, { env, secrets: await this.registry() })
  }

  /** The last line of defence of everything that is written. */
  redact(text: string): string {
    return this.#registry?.redact(text) ?? text
  }
}
