import type { ModelCandidate } from '@holdfast/runtime'
import { nearest } from '@holdfast/runtime'
import { BUILT_IN_PROVIDERS } from './built-in-providers.ts'
import type { Config } from './config.ts'
import type { ConfigFault } from './config-faults.ts'

/** What is wrong with a configuration whose shape is right: names that nothing has. A provider that is wrong itself (`named`) is none that is missing. */
export function findConfigFaults(config: Config, named: readonly string[]): readonly ConfigFault[] {
  const providers = [...new Set([...named, ...BUILT_IN_PROVIDERS])]
  const profiles = Object.keys(config.models)
  const provider = findUnknown('provider', providers)
  const profile = findUnknown('model profile', profiles)
  const candidate = (path: ConfigFault['path'], model: ModelCandidate) =>
    'ref' in model ? profile([...path, 'ref'], model.ref) : provider([...path, 'provider'], model.provider)
  return [
    ...Object.entries(config.models).flatMap(([ref, { provider: name, fallbacks = [] }]) => [
      ...provider(['models', ref, 'provider'], name),
      ...fallbacks.flatMap((model, index) => {
        const path = ['models', ref, 'fallbacks', index]
        return 'ref' in model && model.ref === ref ? [toOwnFallback([...path, 'ref'])] : candidate(path, model)
      })
    ]),
    ...findNameFaults('providers', named, PLAIN),
    ...findNameFaults('models', profiles, PLAIN),
    ...findNameFaults('agents', Object.keys(config.agents ?? {}), AGENT)
  ]
}

/** Names that can be told from `provider/model`, and that do not look like others or like nothing. */
const PLAIN = {
  pattern: /^(?!\s)[^/\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,100}(?<!\s)$/u,
  expected: 'up to 100 characters that can be seen, without / and without space around them'
}
/** As models name agents: nothing that could be a path. */
const AGENT = { pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, expected: 'up to 64 letters, digits, hyphens and underscores' }

function findNameFaults(field: string, names: readonly string[], { pattern, expected }: typeof PLAIN): readonly ConfigFault[] {
  const wrong = names.filter((name) => !pattern.test(name) || name.normalize('NFC') !== name)
  return wrong.map((name) => ({ code: 'invalid', path: [field, name], message: 'this name cannot be used', expected }))
}

function toOwnFallback(path: ConfigFault['path']): ConfigFault {
  return { code: 'invalid', path, message: 'a profile cannot stand in for itself', expected: 'another profile' }
}

function findUnknown(what: string, names: readonly string[]) {
  return (path: ConfigFault['path'], name: string): readonly ConfigFault[] => {
    if (names.includes(name)) return []
    const [nearMiss] = nearest(name, names)
    const expected = `one of ${names.join(', ')}`
    return [{ code: 'invalid', path, message: `there is no such ${what}`, expected, ...(nearMiss !== undefined && { nearMiss }) }]
  }
}
