import type { ModelProfile, SecretReference, WaitNotice } from '@holdfast/config'
import type { ModelCandidate } from '@holdfast/runtime'
import { renderKey, renderModel } from './render-model.ts'
import { toJsonText, toVisibleLine } from './visible-text.ts'

type Env = { readonly [name: string]: string | undefined }

/** A reference, and whether something stands behind it. */
export interface ShownReference extends SecretReference {
  readonly isSet: boolean
}

/** Who is told of a wait, as far as it may be seen. */
export type ShownNotice =
  | { readonly command: readonly string[] }
  | { readonly webhook: string | ShownReference; readonly secret?: ShownReference }

/** A profile; options are data of the provider's, and whatever in them may be a secret is not shown. */
export function toShownProfile(profile: ModelProfile): ModelProfile {
  return JSON.parse(
    JSON.stringify(profile, (name, inner: unknown) => (typeof inner === 'string' && SECRET_NAME.test(name) ? '[hidden]' : inner))
  ) as ModelProfile
}

/** Who is told of a wait; references instead of what they hold. */
export function toShownNotice(notice: WaitNotice, env: Env): ShownNotice {
  if ('command' in notice) return notice
  const { webhook, secret } = notice
  return {
    webhook: typeof webhook === 'string' ? webhook : toShownReference(webhook, env),
    ...(secret === undefined ? {} : { secret: toShownReference(secret, env) })
  }
}

/** One line about who is told. */
export function renderNotice(notice: ShownNotice): string {
  if ('command' in notice) return `runs ${notice.command.map((part) => toVisibleLine(JSON.stringify(part), 200)).join(' ')}`
  const { webhook, secret } = notice
  const address = typeof webhook === 'string' ? toVisibleLine(webhook, 1000) : renderKey(webhook)
  return `calls ${address}${secret === undefined ? '' : `, signed: ${renderKey(secret)}`}`
}

/** The models that stand in, as the command line names them. */
export function renderFallbacks(fallbacks: readonly ModelCandidate[] = []): string {
  if (fallbacks.length === 0) return ''
  return `then ${fallbacks.map((model) => ('ref' in model ? toVisibleLine(model.ref) : renderModel(model))).join(', ')}`
}

/** A profile as cells: its name, its model, what goes with it. */
export function toProfileRow(ref: string, profile: ModelProfile): readonly string[] {
  const { settings, options, fallbacks } = profile
  return [
    toVisibleLine(ref),
    renderModel(profile),
    renderFallbacks(fallbacks),
    settings === undefined ? '' : `settings ${toVisibleLine(toJsonText(settings))}`,
    options === undefined ? '' : `options ${toVisibleLine(toJsonText(options))}`
  ]
}

const SECRET_NAME = /key|token|secret|password|credential|authorization|cookie/i

function toShownReference({ env: name }: SecretReference, env: Env): ShownReference {
  return { env: name, isSet: (env[name]?.trim() ?? '') !== '' }
}
