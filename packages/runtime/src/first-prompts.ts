import { HoldfastError } from './contracts/errors.ts'
import type { InjectedPrompt } from './contracts/initial-prompt.ts'
import type { Json } from './contracts/json.ts'
import type { Definition } from './contracts/publication.ts'
import type { SecretRegistry } from './contracts/secrets.ts'
import { renderInitialPrompts } from './manifest/initial-prompts.ts'
import { toPathText } from './manifest/problem.ts'
import { toWellFormedJson } from './util/well-formed.ts'

/** The initial prompts of a definition as a thread begins with them. */
export interface FirstPrompts {
  /** Absent when there are none. */
  readonly initial?: readonly InjectedPrompt[]
  /** Names of the secrets that were taken out of their texts. */
  readonly redacted: readonly string[]
}

/**
 * Renders the initial prompts with the variables of a thread. Throws `invalid_input` for arguments that do not fit once they are rendered, or that hold
 * a secret: what is not kept cannot be called with.
 */
export async function toFirstPrompts(
  initialPrompts: NonNullable<Definition['initialPrompts']>,
  tools: Definition['tools'],
  { variables, secrets }: { readonly variables: { readonly [key: string]: Json }; readonly secrets: SecretRegistry }
): Promise<FirstPrompts> {
  const { prompts, faults } = await renderInitialPrompts(initialPrompts, tools, variables)
  if (faults.length > 0) {
    const problems = faults.map(({ code, path, message }) => ({ code, path: toPathText(path), message: secrets.redact(message) }))
    const lines = problems.map(({ path, message }) => `  ${path}: ${message}`).join('\n')
    throw new HoldfastError('invalid_input', `the initial calls cannot be made with these variables:\n${lines}`, { details: { problems } })
  }
  const initial = toWellFormedJson(prompts)
  const leaked = secrets.size === 0 ? [] : initial.flatMap(({ calls = [] }) => calls.flatMap(({ input }) => secrets.namesIn(input)))
  if (leaked.length > 0) {
    throw new HoldfastError('invalid_input', `an initial call holds a secret (${leaked.join(', ')}): tools read secrets themselves`, {
      details: { secrets: leaked }
    })
  }
  const redacted = secrets.size === 0 ? [] : initial.flatMap(({ text = '' }) => secrets.namesIn(text))
  return { initial: redacted.length === 0 ? initial : secrets.redactJson(initial), redacted }
}
