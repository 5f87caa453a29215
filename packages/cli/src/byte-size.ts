const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A number of bytes as people read it. */
export function renderBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${step === 0 ? bytes : (bytes / 1024 ** step).toFixed(1)} ${UNITS[step]}`
}
