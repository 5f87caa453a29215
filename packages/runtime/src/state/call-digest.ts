import type { Digest, ThreadId } from '../contracts/ids.ts'
import type { Json } from '../contracts/json.ts'
import type { ToolDescriptor } from '../contracts/publication.ts'
import { digestJson } from '../util/canonical.ts'

/** What a call is known by (I6): tool, version, arguments and thread. A call that cannot be read is known by what the model wrote. */
export function toCallDigest(
  thread: ThreadId,
  tool: Pick<ToolDescriptor, 'identity' | 'version'> | null,
  call: { readonly tool: string; readonly arguments: Json | null; readonly input: string }
): Digest {
  return digestJson([tool?.identity ?? call.tool, tool?.version ?? '', call.arguments ?? call.input, thread])
}
