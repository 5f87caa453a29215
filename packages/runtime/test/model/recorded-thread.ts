import type { Fact } from '../../src/contracts/fact.ts'
import type { Principal } from '../../src/contracts/ids.ts'
import type { InjectedPrompt } from '../../src/contracts/initial-prompt.ts'
import type { Json } from '../../src/contracts/json.ts'
import type { Publication } from '../../src/contracts/publication.ts'
import type { AcceptedItem, InboxItem, ItemKind, ThreadInfo } from '../../src/contracts/store.ts'
import { project } from '../../src/state/project.ts'
import { toCommitLine, toHeaderLine, toItemLine, toPublicationLine } from '../../src/transfer/export-lines.ts'
import { digestJson, digestText } from '../../src/util/canonical.ts'
import { textPart } from './outcomes.ts'
import { publicationOf } from './publication.ts'
import { PureThread } from './pure-thread.ts'

/** A publication under its own digest. */
export function digested(publication: Publication = publicationOf()): Publication {
  return { ...publication, digest: digestJson(publication.definition) }
}

/** A pure thread that remembers what it accepted, so that it can be exported as a store's thread is. */
export class RecordedThread extends PureThread {
  readonly items: InboxItem[] = []

  constructor(publication: Publication = digested(), initial: readonly InjectedPrompt[] = []) {
    super(publication)
    const body = { run: 'run_0', parts: [textPart('begin')], ...(initial.length === 0 ? {} : { initial }) }
    this.deliver('start', body as unknown as Json)
  }

  override deliver(kind: ItemKind, body: Json, from?: Principal): InboxItem {
    const item = super.deliver(kind, body, from)
    // Called by the parent's constructor, too.
    this.items?.push(item)
    return item
  }

  /** Its export, as a store that had driven it would give it. */
  export(): string {
    const { thread } = this.state
    const commits = this.log.map((commit) => {
      const facts = commit.facts.map((fact) => this.#rename(fact))
      return { ...commit, facts, digest: digestText(JSON.stringify(facts)), format: 1, worker: 'w', tenant: 't', thread, position: '' }
    })
    const items = this.items.map((item) => this.#toAccepted(item))
    const head = commits.length
    const info = { id: thread, root: thread, path: '', attempt: this.attempt, head, row: project(this.state) } as ThreadInfo
    return [
      toHeaderLine(info, items.length),
      toPublicationLine(this.publication),
      ...commits.map(toCommitLine),
      ...items.map(toItemLine)
    ].join('')
  }

  #toAccepted(item: InboxItem): AcceptedItem {
    const { kind, from, at, body, thread } = item
    const digest = kind === 'decision' ? digestJson({ kind, body }) : digestJson([kind, '', body])
    const known = { id: this.#nameOf(item.id), thread, kind, from, at, digest }
    const takenIn = this.log.find((commit) => commit.facts.some((fact) => fact.cause === item.id))?.sequence
    return takenIn === undefined ? { ...known, state: 'deferred', body } : { ...known, state: 'consumed', takenIn }
  }

  /** Ids and digests as a store and a gate give them. */
  #rename(fact: Fact): Fact {
    const cause = fact.cause === undefined ? {} : { cause: this.#nameOf(fact.cause) }
    const item = 'item' in fact ? { item: this.#nameOf(fact.item) } : {}
    const digest = fact.type === 'call.gated' ? { digest: digestText(fact.digest) } : {}
    return { ...fact, ...cause, ...item, ...digest }
  }

  #nameOf(id: string): string {
    const item = this.items.find((each) => each.id === id)
    const { wait } = (item?.kind === 'decision' ? item.body : {}) as { readonly wait?: string }
    return wait === undefined ? id : `decide:${wait}`
  }
}
