import process from 'node:process'

/**
 * Leaves out warnings of Node by their codes; all others are told as before. A tools module in a folder without a package is one: that Node had to
 * look what kind of module it is costs nothing that its author would notice.
 */
export function omitWarnings(codes: ReadonlySet<string>): void {
  const tell = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (codes.has(String(Reflect.get(warning, 'code')))) return
    for (const listener of tell) listener(warning)
  })
}
