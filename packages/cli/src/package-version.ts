import { readFileSync } from 'node:fs'

/** The version of the command. Its manifest lies beside `src` and `dist` alike. */
export function ownVersion(): string {
  return versionOfManifest(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
}

/** The version that the text of a package's manifest says. */
export function versionOfManifest(text: string): string {
  const manifest: unknown = JSON.parse(text)
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown'
}
