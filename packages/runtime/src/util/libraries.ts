// What is heavy is loaded when it is first used: importing the runtime stays quick. AGENTS.md lists this file.

/** Regular expressions in linear time. */
export const loadRe2 = () => import('re2js')
