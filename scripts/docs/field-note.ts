import type { ShapeRow } from './shape-rows.ts'

/** What a field is, or which other one it is like; what holds without it; its type where the shape says too little. */
export type FieldNote = { readonly without?: string; readonly type?: string } & (
  | { readonly is: string; readonly as?: undefined }
  | { readonly as: string }
)

/** Notes by the paths of fields. */
export type FieldNotes = { readonly [path: string]: FieldNote }

/** The cells of a field: path, type, default, what it is. */
export function toFieldCells(
  { path, type, required }: ShapeRow,
  notes: FieldNotes,
  defaultOf: (path: string) => string
): readonly string[] {
  const note = notes[path]
  const is = note === undefined ? '' : note.as === undefined ? note.is : `As ${note.as}.`
  return [`\`${path}\``, note?.type ?? type, required ? 'required' : (note?.without ?? defaultOf(path)), is]
}

/** What is known and not supported yet. */
export function toLaterRows(
  fields: { readonly [path: string]: { readonly later: readonly string[] } },
  { whole, any }: { readonly whole: string; readonly any: string }
): readonly (readonly string[])[] {
  return Object.entries(fields).flatMap(([path, { later }]) => {
    const place = path === '' ? whole : `\`${path.replaceAll('.*', any)}\``
    return later.length === 0 ? [] : [[place, later.map((name) => `\`${name}\``).join(', ')]]
  })
}
