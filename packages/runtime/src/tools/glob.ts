import { compileGlob } from '../util/glob.ts'
import { refuseFile } from './file-refusal.ts'

/** Compiles a glob of paths into a test of them. Refuses one that cannot be read. */
export async function compilePathGlob(glob: string): Promise<(path: string) => boolean> {
  const fits = await compileGlob(glob, 'path')
  if (fits === undefined) throw refuseFile('invalid_pattern', glob, `the glob ${JSON.stringify(glob)} cannot be read.`)
  return fits
}
