// What is heavy is loaded when it is first used: importing the runtime stays quick. AGENTS.md lists this file.

import type * as Yaml from 'yaml'

/** The YAML reader. */
export const loadYaml = (): Promise<typeof Yaml> => import('yaml')

/** The JSON Schema compiler for draft 2020-12. */
export const loadAjv2020 = () => import('ajv/dist/2020.js')

/** The JSON Schema compiler for draft 7, which many tool servers still write. */
export const loadAjv7 = () => import('ajv')

/** The template parser. */
export const loadLiquid = () => import('liquidjs')

/** The shape of an agent (zod). */
export const loadAgentShape = () => import('./agent-shape.ts')

/** The shape of a model (zod). */
export const loadModelShape = () => import('./model-shape.ts')
