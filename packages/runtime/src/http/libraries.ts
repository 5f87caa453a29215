// What is heavy is loaded when it is first used: importing the runtime stays quick. AGENTS.md lists this file.

/** The HTTP/1.1 client. */
export const loadUndici = () => import('undici')

/** Ranges of IP addresses. */
export const loadIpaddr = async () => (await import('ipaddr.js')).default
