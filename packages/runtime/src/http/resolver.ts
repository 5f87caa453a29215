import { lookup } from 'node:dns/promises'

/**
 * How names become addresses.
 *
 * **Contract**: every address of the name, IPv4 and IPv6, as text; a rejection means that there is none to be had. It is asked once per
 * request that is sent, and what it answers then is what is checked and connected to. It may be slow: nobody waits longer than the limits say.
 */
export interface Resolver {
  resolve(host: string): Promise<readonly string[]>
}

/** The resolver of this machine, with its hosts file. */
export const systemResolver: Resolver = {
  async resolve(host) {
    const answers = await lookup(host, { all: true, order: 'verbatim' })
    return answers.map(({ address }) => address)
  }
}
