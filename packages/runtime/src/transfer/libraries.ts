// What is heavy is loaded when it is first used: importing the runtime stays quick. AGENTS.md lists this file.

/** The reader of exports (zod). */
export const loadImportReader = () => import('./imported-log.ts')
