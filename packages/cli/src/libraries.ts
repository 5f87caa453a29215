// What is heavy is loaded when a command needs it: `holdfast --help` starts at once. AGENTS.md lists this file.
import { pathToFileURL } from 'node:url'

/** The runtime. */
export const loadRuntime = () => import('@holdfast/runtime')

/** What looks into a store, without the runtime. */
export const loadLook = () => import('@holdfast/runtime/look')

/** Tools for files and pages. */
export const loadTools = () => import('@holdfast/runtime/tools')

/** Configuration files and models. */
export const loadConfiguration = () => import('@holdfast/config')

/** A module of the user; Node strips types from `.ts`. */
export const loadModule = (path: string): Promise<unknown> => import(pathToFileURL(path).href)
