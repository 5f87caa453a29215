import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Lines and columns from 1. */
export interface ModulePlace {
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** Code that stands between the user's and what threw: of the command, of the runtime, of packages. */
const OWN = dirname(import.meta.url)

/** Where code of the user threw: its own place, else the nearest that is not of a package. */
export function findFrame(stack: readonly string[]): ModulePlace | undefined {
  const frames = stack.flatMap((text) => {
    const [, url, line, column] = /^\s+at .*?(file:\/\/\/[^()]+):(\d+):(\d+)\)?$/.exec(text) ?? []
    return url === undefined || url.startsWith(OWN) ? [] : [{ url, line: Number(line), column: Number(column) }]
  })
  const runtime = dirname(import.meta.resolve('@holdfast/runtime'))
  const found = frames.find(({ url }) => !url.includes('/node_modules/') && !url.startsWith(runtime)) ?? frames[0]
  return found === undefined ? undefined : { file: fileURLToPath(found.url), line: found.line, column: found.column }
}

/** The place as it is told: `file:line:column`. */
export function toPlaceText({ file, line, column }: ModulePlace): string {
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`
}

/** Not everything can be made a text. */
export function toText(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'a value that cannot be shown'
  }
}
