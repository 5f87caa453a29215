import { HoldfastError } from './contracts/errors.ts'
import type { Publication } from './contracts/publication.ts'
import type { Store } from './contracts/store.ts'
import type { Tool } from './contracts/tool.ts'
import type { PreparedPublication, PrepareOptions } from './effects/prepare.ts'
import { preparePublication } from './effects/prepare.ts'
import type { PreparedPlugins } from './effects/prepared-plugins.ts'

interface Entry {
  readonly publication: Publication
  prepared?: Promise<PreparedPublication>
  /** Once it is prepared. */
  plugins?: PreparedPlugins | null
}

/** The publications that a process works with, each read and prepared once. */
export class PublicationCache {
  readonly #store: Store
  readonly #options: PrepareOptions
  readonly #known = new Map<string, Entry>()

  constructor(store: Store, options: PrepareOptions) {
    this.#store = store
    this.#options = options
  }

  add(publication: Publication): void {
    if (!this.#known.has(publication.digest)) this.#known.set(publication.digest, { publication })
  }

  known(digest: string): Publication | undefined {
    return this.#known.get(digest)?.publication
  }

  async get(digest: string): Promise<Publication> {
    const known = this.known(digest)
    if (known) return known
    const publication = await this.#store.publication(digest)
    if (!publication) throw new HoldfastError('publication_missing', `the publication ${digest} is not in the store`)
    this.add(publication)
    return publication
  }

  /** The code of a tool that a plugin of a prepared publication gives. */
  pluginTool(digest: string, identity: string): Tool | undefined {
    return this.#known.get(digest)?.plugins?.tools.get(identity)
  }

  prepared(digest: string): Promise<PreparedPublication> {
    return this.#known.get(digest)?.prepared ?? this.#prepare(digest)
  }

  async #prepare(digest: string): Promise<PreparedPublication> {
    const publication = await this.get(digest)
    const entry: Entry = this.#known.get(digest) ?? { publication }
    entry.prepared ??= preparePublication(publication, this.#options).then((prepared) => {
      entry.plugins = prepared.plugins
      return prepared
    })
    return entry.prepared
  }
}
