/** Lines of a table: every cell as wide as the widest of its column, which must be fit for a terminal already. */
export function toColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>((found, row) => row.map((cell, index) => Math.max(cell.length, found[index] ?? 0)), [])
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  )
}
