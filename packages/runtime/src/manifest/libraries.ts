// What is heavy is loaded when it is first used: importing the runtime stays quick. AGENTS.md lists this file.

import type * as Yaml from 'yaml'

/** Asks the loader once: to find again what is loaded takes it longer than many an answer takes us. */
export function once<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}

/** The YAML reader. */
export const loadYaml: () => Promise<typeof Yaml> = once(() => import('yaml'))

/** The JSON Schema compiler for draft 2020-12. */
export const loadAjv2020 = once(() => import('ajv/dist/2020.js'))

/** The JSON Schema compiler for draft 7, which many tool servers still write. */
export const loadAjv7 = once(() => import('ajv'))

/** The template parser. */
export const loadLiquid = once(() => import('liquidjs'))

/** The shape of an agent (zod). */
export const loadAgentShape = once(() => import('./agent-shape.ts'))

/** The shape of a model (zod). */
export const loadModelShape = once(() => import('./model-shape.ts'))
