import type { SecretRegistry } from '@holdfast/runtime'
import { BUILT_IN } from './built-in-providers.ts'
import type { Config, SecretReference } from './config.ts'

/**
 * Registers every value that a configuration refers to by `{ env: NAME }`, and the keys of the providers that need no entry, under the names of
 * their variables. A store is a secret only when it is a URL: then its password is, too.
 */
export function registerSecrets(
  config: Config,
  { env, secrets }: { readonly env: { readonly [name: string]: string | undefined }; readonly secrets: SecretRegistry }
): void {
  const keys = Object.values(config.providers).flatMap((provider) => ('apiKey' in provider && provider.apiKey ? [provider.apiKey.env] : []))
  for (const name of [...keys, ...Object.values(BUILT_IN).map(({ key }) => key)]) secrets.add(name, env[name] ?? '')
  for (const { env: name } of findNoticeSecrets(config)) secrets.add(name, env[name] ?? '')
  registerStore(config.store, env, secrets)
}

function findNoticeSecrets({ onWait }: Config): readonly SecretReference[] {
  if (onWait === undefined || 'command' in onWait) return []
  return [onWait.webhook, onWait.secret].filter((value) => typeof value === 'object')
}

function registerStore(
  store: string | SecretReference | undefined,
  env: { readonly [name: string]: string | undefined },
  secrets: SecretRegistry
): void {
  if (store === undefined || typeof store === 'string') return
  const value = env[store.env]?.trim() ?? ''
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return
  secrets.add(store.env, value)
  const password = URL.parse(value)?.password ?? ''
  secrets.add(store.env, password)
  secrets.add(store.env, decode(password))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
