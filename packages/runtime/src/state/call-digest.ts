import type { Digest, ThreadId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import type { ToolDescriptor } from '../contracts/publication.ts'
import { digestText, toCanonicalJson } from '../util/canonical.ts'

/** What a call is known by (I6): tool, version, arguments and thread. A call that cannot be read is known by what the model wrote. */
export function toCallDigest(
  thread: ThreadId,
  tool: Pick<ToolDescriptor, 'identity' | 'version'> | null,
  call: { readonly tool: string; readonly arguments: Json | null; readonly input: string }
): Digest {
  // The canonical JSON of a list of these; the texts among them are canonical as JSON has them.
  const names = `${JSON.stringify(tool?.identity ?? call.tool)},${JSON.stringify(tool?.version ?? '')}`
  return digestText(`[${names},${toCanonicalJson(call.arguments ?? call.input)},${JSON.stringify(thread)}]`)
}
