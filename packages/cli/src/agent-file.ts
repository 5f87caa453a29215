import { readdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { AgentDefinition, ModelReference } from '@holdfast/runtime'
import { Failure, isRuntimeError } from './failure.ts'
import { loadConfiguration, loadRuntime } from './libraries.ts'

/** An agent as a file says it, with the command line's model in place of its own. */
export interface AgentFile {
  readonly path: string
  readonly definition: AgentDefinition
}

/** More than any manifest may have. */
const MAX_BYTES = 33_554_432

/** Reads an agent's manifest. Throws `file_not_found`, `file_unreadable` and `invalid_manifest`, naming line and column. */
export async function loadAgentFile(
  path: string,
  options: { readonly cwd: string; readonly model?: string | undefined }
): Promise<AgentFile> {
  if (/\.[cm]?[jt]s$/i.test(path)) {
    throw new Failure('invalid_manifest', `${path} is a module; an agent's manifest is YAML or JSON.`, {
      details: { path },
      remedy: 'Name the manifest, and the module with its tools with --tools FILE.'
    })
  }
  const text = await readText(path)
  const { parseAgentManifest } = await loadRuntime()
  const { definition } = await parseAgentManifest(text, toShownPath(path, options.cwd))
  if (options.model === undefined) return { path, definition }
  const model = { ...settingsOf(definition.model), ...toModelReference(options.model, { cwd: options.cwd, base: dirname(path) }) }
  return { path, definition: { ...definition, model } }
}

/** `provider/model`, or the name of a profile. The path of a script is meant from here, and kept from the manifest's folder. */
export function toModelReference(text: string, folders: { readonly cwd: string; readonly base: string }): ModelReference {
  const separator = text.indexOf('/')
  if (text.trim() === '' || separator === 0 || separator === text.length - 1) {
    throw new Failure('invalid_input', `--model ${JSON.stringify(text)} names no model.`, {
      remedy: 'Write it as provider/model, or name a profile of the configuration.'
    })
  }
  if (separator < 0) return { ref: text }
  const provider = text.slice(0, separator)
  const model = text.slice(separator + 1)
  if (provider !== 'scripted' || isAbsolute(model)) return { provider, model }
  return { provider, model: relative(folders.base, resolve(folders.cwd, model)) }
}

/** What stands beside the name of a model. */
export function settingsOf({ options, settings }: ModelReference): Pick<ModelReference, 'options' | 'settings'> {
  return { ...(options === undefined ? {} : { options }), ...(settings === undefined ? {} : { settings }) }
}

async function readText(path: string): Promise<string> {
  const { readNamedFile } = await loadConfiguration()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readNamedFile(path, { maxBytes: MAX_BYTES }))
  } catch (cause) {
    throw await toReadFailure(path, cause)
  }
}

async function toReadFailure(path: string, cause: unknown): Promise<unknown> {
  const details = { path }
  if (cause instanceof TypeError) return new Failure('file_unreadable', `${path} is not UTF-8 text.`, { details, cause })
  if (!isRuntimeError(cause) || cause.code !== 'file_not_found') return cause
  const near = await findNear(path)
  const remedy = near === undefined ? 'Check the path.' : `Did you mean ${near}?`
  return new Failure('file_not_found', `There is no manifest at ${path}.`, { details, remedy, cause })
}

/** The file of the same folder that may have been meant. */
async function findNear(path: string): Promise<string | undefined> {
  const { nearest } = await loadRuntime()
  const names = await readdir(dirname(path)).catch(() => [])
  const [near] = nearest(
    basename(path),
    names.filter((name) => /\.(?:ya?ml|json)$/i.test(name))
  )
  return near === undefined ? undefined : join(dirname(path), near)
}

/** As a person would write it: relative when the file lies below. */
function toShownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path)
  return shown.startsWith(`..${sep}`) || isAbsolute(shown) ? path : shown
}
