import type { SecretRegistry, SecretStream } from '../contracts/secrets.ts'
import type { ResponseDelta } from './read-parts.ts'

/** Takes the pieces of a response as they come. */
export interface DeltaReader {
  take(delta: ResponseDelta): void
  /** The response is over: what is held back is shown. */
  end(): void
}

/**
 * Shows the pieces of a response without secrets: what may be the beginning of one is held back. Text is one text over all parts of a
 * response, since it is shown so; reasoning and the arguments of each call are others.
 */
export function hideSecrets(show: (delta: ResponseDelta) => void, secrets: SecretRegistry): DeltaReader {
  if (secrets.size === 0) return { take: show, end: () => {} }
  const open = new Map<string, { readonly stream: SecretStream; readonly last: ResponseDelta }>()
  const say = (delta: ResponseDelta, text: string): void => {
    if (text !== '') show({ ...delta, text })
  }
  return {
    take(delta) {
      const isCall = delta.type === 'arguments.delta'
      const clean = isCall ? { ...delta, id: secrets.redact(delta.id), tool: secrets.redact(delta.tool) } : delta
      const key = isCall ? `${delta.type}:${delta.id}` : delta.type
      const stream = open.get(key)?.stream ?? secrets.stream()
      open.set(key, { stream, last: clean })
      say(clean, stream.push(delta.text))
    },
    end() {
      for (const { stream, last } of open.values()) say(last, stream.end())
      open.clear()
    }
  }
}
