/** The name of a tool that a reference such as `/agent-tools/os/read-file` means: its last segment, with underscores for hyphens. */
export function toToolName(reference: string): string {
  return (reference.replace(/\/+$/, '').split('/').at(-1) ?? '').replaceAll('-', '_')
}
