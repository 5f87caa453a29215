/** A field of a type, as it is written. */
export interface Field {
  readonly name: string
  readonly optional: boolean
  readonly type: string
  /** Its comment, when it has one. */
  readonly note: string
}

/** The text of `type NAME = …`, without its name, up to the end of the declaration. */
export function readAlias(source: string, name: string): string {
  const start = new RegExp(`^(?:export )?type ${name}(?:<[^>]*>)? =`, 'm').exec(source)
  if (start === null) throw new Error(`there is no type ${name}`)
  const rest = source.slice(start.index + start[0].length)
  const end = /\n(?=\n|export |type |\/\*\*)/.exec(rest)
  return rest.slice(0, end?.index ?? rest.length).trim()
}

/** The object types of a union: what stands in outer braces. */
export function readMembers(union: string): readonly (readonly Field[])[] {
  const members: string[] = []
  let depth = 0
  let start = 0
  for (const [index, character] of [...union].entries()) {
    if (character === '{') {
      if (depth === 0) start = index + 1
      depth += 1
    } else if (character === '}') {
      depth -= 1
      if (depth === 0) members.push(union.slice(start, index))
    }
  }
  return members.map(readFields)
}

/** The fields of an object type, from what stands between its braces. */
export function readFields(body: string): readonly Field[] {
  const fields: Field[] = []
  for (const text of splitFields(body)) {
    const found = /^(?:\/\*\*(?<note>[\s\S]*?)\*\/)?\s*readonly (?<name>\w+)(?<optional>\?)?: (?<type>[\s\S]+)$/.exec(text)
    if (found?.groups === undefined) throw new Error(`this is no field: ${text}`)
    const { note = '', name = '', optional, type = '' } = found.groups
    fields.push({ name, optional: optional !== undefined, type: type.trim(), note: note.trim() })
  }
  return fields
}

/** Fields end with a semicolon, or with the line before the next one; what stands in braces belongs to its field. */
function splitFields(body: string): readonly string[] {
  const fields: string[] = []
  let depth = 0
  let current = ''
  const finish = () => {
    if (current.trim() !== '') fields.push(current.trim())
    current = ''
  }
  for (const [index, character] of [...body].entries()) {
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
    const isRemark = current.lastIndexOf('/*') > current.lastIndexOf('*/')
    const follows = character === '\n' && !current.endsWith('*/') && /^\s*(?:readonly |\/\*\*)/.test(body.slice(index))
    if (depth === 0 && !isRemark && (character === ';' || follows)) finish()
    else current += character
  }
  finish()
  return fields
}
