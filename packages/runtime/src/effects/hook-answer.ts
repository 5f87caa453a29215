import { isApproval } from '../contracts/approval.ts'
import type { JsonObject } from '../contracts/json.ts'

/** One thing that a hook may say, and what belongs to it. */
export interface Act {
  readonly needs: string
  fits(rest: JsonObject): boolean
}

/** What a hook says, looked at before it counts; a text says what is wrong with it. The acts are those of the answer's type. */
export function readAnswer<Answer extends { readonly do: string }>(
  answer: JsonObject,
  acts: { readonly [act in Answer['do']]: Act }
): Answer | string {
  const { do: word, ...rest } = answer
  const act = Object.entries<Act>(acts).find(([name]) => name === word)?.[1]
  if (!act) return `expected nothing, or { do: ${Object.keys(acts).join(', ')} } with what belongs to it`
  return act.fits(rest) ? (answer as unknown as Answer) : `expected with do: ${String(word)} ${act.needs}`
}

/** It goes no further. */
export const BLOCK: Act = { needs: 'a reason', fits: (rest) => isText(rest['reason']) && hasOnly(rest, 'reason') }

/** Somebody must decide. */
export const REQUIRE_APPROVAL: Act = { needs: 'expiresInMs and quorum above 0', fits: isApproval }

/** Something that is any data. */
export function withValue(field: string): Act {
  return { needs: `a ${field}`, fits: (rest) => rest[field] !== undefined && hasOnly(rest, field) }
}

/** Something that is an object. */
export function withObject(field: string): Act {
  return {
    needs: `${field}, an object`,
    fits: (rest) => {
      const value = rest[field]
      return typeof value === 'object' && value !== null && !Array.isArray(value) && hasOnly(rest, field)
    }
  }
}

/** Something that is a text with something in it. */
export function withText(field: string): Act {
  return { needs: `a ${field}`, fits: (rest) => isText(rest[field]) && hasOnly(rest, field) }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function hasOnly(value: JsonObject, key: string): boolean {
  return Object.keys(value).every((each) => each === key)
}
