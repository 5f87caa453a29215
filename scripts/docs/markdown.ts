/** A table; what stands in a cell may hold bars and line ends. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(toCell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** Text in code type, whatever it holds. */
export function toCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** A page: its blocks with an empty line between, and the notice that it is made. */
export function toPage(title: string, blocks: readonly string[]): string {
  return `${['<!-- Made by scripts/docs.ts: change the code and run `npm run docs`. -->', `# ${title}`, ...blocks].join('\n\n')}\n`
}

/** Fails when notes and what they are about are not the same set. */
export function assertCovers(what: string, notes: object, names: readonly string[]): void {
  const missing = names.filter((name) => !Object.hasOwn(notes, name))
  const surplus = Object.keys(notes).filter((name) => !names.includes(name))
  if (missing.length + surplus.length === 0) return
  throw new Error(`${what}: missing ${missing.join(', ') || 'none'}; surplus ${surplus.join(', ') || 'none'}`)
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}
