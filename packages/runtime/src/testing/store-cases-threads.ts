import assert from 'node:assert/strict'
import type { Fact } from '../contracts/fact.ts'
import type { Labels } from '../contracts/labels.ts'
import type { Publication } from '../contracts/publication.ts'
import type { NewThread } from '../contracts/store.ts'
import type { StoreCase } from './store-kit.ts'
import { accepted, assertCode, note, received, refusal } from './store-kit.ts'

const PUBLICATION: Publication = {
  digest: 'sha256:publication',
  definition: { name: 'agent', model: { ref: 'default' }, variables: [], tools: [], limits: { maxTurns: 3 } }
}

/** A thread born with labels. */
function labelled(thread: NewThread, labels: Labels): NewThread {
  return { ...thread, created: { ...thread.created, labels } as Fact }
}

/** Births, publications and lists. */
export const threadCases: readonly StoreCase[] = [
  {
    name: 'keeps a publication under its digest, and the first one when it is published again',
    async run({ store }) {
      assert.equal(await store.publication(PUBLICATION.digest), null)
      await store.publish(PUBLICATION)
      await store.publish(PUBLICATION)
      assert.deepEqual(await store.publication(PUBLICATION.digest), PUBLICATION)
    }
  },
  {
    name: 'makes a thread with commit 1 of attempt 0 and its first item',
    async run({ store, clock }, kit) {
      const thread = kit.thread({ key: 'order-1', path: 'root' })
      assert.deepEqual(await store.create(thread), { created: kit.first(true, false), thread: thread.id })
      const info = await store.thread(thread.id)
      assert.deepEqual(info, {
        tenant: 'default',
        id: thread.id,
        key: 'order-1',
        root: thread.id,
        path: 'root',
        publication: 'sha256:p',
        createdAt: clock.now(),
        at: clock.now(),
        head: 1,
        attempt: 0,
        row: thread.row,
        pending: 1
      })
      const [commit, ...rest] = await store.read(thread.id, 1, 1000)
      assert.deepEqual([commit?.sequence, commit?.attempt, commit?.facts, rest], [1, 0, [thread.created], []])
      assert.deepEqual(await store.pending(thread.id), [{ ...thread.first, at: clock.now(), state: 'fresh' }])
    }
  },
  {
    name: 'makes one thread of two creates with one key, and names it to both',
    async run({ store }, kit) {
      const one = kit.thread({ key: 'order-1' })
      const two = {
        ...kit.thread({ key: 'order-1' }),
        first: { ...one.first, id: 'other', thread: 'thr_two' },
        id: 'thr_two',
        root: 'thr_two'
      }
      const answers = await Promise.all([store.create(one), store.create(two)])
      assert.deepEqual(answers.filter((answer) => answer.created).length, kit.first(1, 0))
      assert.equal(new Set(answers.map((answer) => answer.thread)).size, 1)
      assert.equal((await store.threads({ tenant: 'default' })).items.length, 1)
    }
  },
  {
    name: 'refuses other content under a key or an id that is taken',
    async run({ store }, kit) {
      const thread = kit.thread({ key: 'order-1' })
      await store.create(thread)
      const other = kit.item(thread.id, 'start', { kind: 'start', body: 'other' })
      await assertCode(store.create({ ...kit.thread(), key: 'order-1', first: other }), 'conflict')
      await assertCode(store.create({ ...thread, first: other }), 'conflict')
      await assertCode(store.create({ ...thread, key: 'order-2' }), 'conflict')
      await assertCode(store.create({ ...thread, tenant: 'other' }), 'conflict')
      assert.deepEqual(
        (await store.pending(thread.id)).map((item) => item.id),
        [thread.first.id]
      )
    }
  },
  {
    name: 'keeps keys, threads, waits and the feed of tenants apart',
    async run({ store }, kit) {
      const ours = await kit.start({ key: 'order-1' })
      const theirs = await kit.start({ key: 'order-1', tenant: 'other' })
      const owner = await kit.own(theirs)
      accepted(await owner.append({ open: [kit.wait(theirs, 'w')] }))
      assert.equal(refusal(await store.append(owner.request({ tenant: 'default' }))), 'fenced')
      assert.deepEqual(
        (await store.threads({ tenant: 'default' })).items.map((item) => item.id),
        [ours.id]
      )
      assert.deepEqual(
        (await store.threads({ tenant: 'other' })).items.map((item) => item.id),
        [theirs.id]
      )
      assert.deepEqual((await store.waits({ tenant: 'default' })).items, [])
      const feed = await store.follow({ tenant: 'default' }, '', 100)
      assert.deepEqual(
        feed.commits.map((commit) => commit.thread),
        [ours.id]
      )
      assert.deepEqual((await store.follow({ tenant: 'default', thread: theirs.id }, '', 100)).commits, [])
      assert.deepEqual((await store.follow({ tenant: 'default', root: theirs.id }, '', 100)).commits, [])
    }
  },
  {
    name: 'lists threads by newest activity in pages, by status, root and time',
    async run({ store, clock }, kit) {
      const threads = []
      for (let made = 0; made < 5; made += 1) {
        threads.push(await kit.start())
        await clock.advance(made % 2 === 0 ? 10 : 1500)
      }
      const [first] = threads
      assert.ok(first)
      const since = clock.now()
      const owner = await kit.own(first)
      accepted(await owner.append({ row: kit.row({ status: 'waiting' }) }))
      const expected = [first, ...threads.slice(1).reverse()].map((thread) => thread.id)
      const seen: string[] = []
      let after: string | undefined
      do {
        const page = await store.threads({ tenant: 'default', limit: 2, ...(after === undefined ? {} : { after }) })
        seen.push(...page.items.map((item) => item.id))
        after = page.next
      } while (after !== undefined)
      assert.deepEqual(seen, expected)
      const ids = async (query: object) => (await store.threads({ tenant: 'default', ...query })).items.map((item) => item.id)
      assert.deepEqual(await ids({ status: ['waiting'] }), [first.id])
      assert.deepEqual(await ids({ status: ['completed', 'waiting'] }), [first.id])
      assert.deepEqual(await ids({ since }), [first.id])
      assert.deepEqual(await ids({ root: first.id, status: ['queued'] }), [])
    }
  },
  {
    name: 'keeps labels with a thread and lists the threads that have all of those asked for, in pages and by newest activity',
    async run({ store, clock }, kit) {
      const threads = []
      for (let made = 0; made < 6; made += 1) {
        threads.push(
          await kit.start(labelled(kit.thread(), made % 2 === 0 ? { team: 'blue', 'app/env': `e${made}` } : { team: 'red', number: '' }))
        )
        await clock.advance(700)
      }
      const other = await kit.start(labelled(kit.thread({ tenant: 'other' }), { team: 'blue' }))
      const plain = await kit.start()
      const [first, second] = threads
      assert.ok(first && second)
      await clock.advance(2000)
      accepted(await (await kit.own(first)).release({ row: kit.row({ status: 'completed' }) }))
      assert.deepEqual((await store.thread(first.id))?.labels, { team: 'blue', 'app/env': 'e0' })
      assert.equal('labels' in ((await store.thread(plain.id)) ?? {}), false)
      const ids = async (query: object) => (await store.threads({ tenant: 'default', ...query })).items.map((item) => item.id)
      const blue = [first.id, threads[4]?.id, threads[2]?.id]
      assert.deepEqual(await ids({ labels: { team: 'blue' } }), blue)
      assert.deepEqual(await ids({ labels: { team: 'blue', 'app/env': 'e0' } }), [first.id])
      assert.deepEqual(await ids({ labels: { 'app/env': 'e4', team: 'blue' }, status: ['queued'] }), [threads[4]?.id])
      assert.deepEqual(await ids({ labels: { team: 'blue' }, status: ['completed', 'failed'] }), [first.id])
      assert.deepEqual(await ids({ labels: { team: 'red' }, root: second.id }), [second.id])
      assert.deepEqual(await ids({ labels: { team: 'blue' }, since: clock.now() }), [first.id])
      assert.deepEqual(await ids({ labels: { team: 'blue', number: '' } }), [])
      assert.deepEqual(await ids({ labels: { team: 'blu' } }), [])
      assert.deepEqual(await ids({ labels: { constructor: 'x' } }), [])
      assert.equal((await ids({ labels: {} })).length, 7)
      assert.deepEqual(
        (await store.threads({ tenant: 'other', labels: { team: 'blue' } })).items.map((item) => item.id),
        [other.id]
      )
      const page = await store.threads({ tenant: 'default', labels: { team: 'blue' }, limit: 2 })
      assert.deepEqual(
        page.items.map((item) => item.id),
        blue.slice(0, 2)
      )
      assert.deepEqual(await ids({ labels: { team: 'blue' }, after: page.next }), blue.slice(2))
      assert.equal(await store.remove(first.id), kit.first('removed', 'unknown'))
      assert.deepEqual(await ids({ labels: { team: 'blue' } }), blue.slice(1))
    }
  },
  {
    name: 'lists the runs of a thread, also one that ended in the commit in which the next began',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.seize(thread)
      const usage = { inputTokens: 5, outputTokens: 7 }
      const running = kit.row({ status: 'running', run: 'run_1', turns: 1, runUsage: usage, runCost: 1, startedIn: 2 })
      const started = { v: 1, type: 'run.started', publication: 'sha256:p', mode: 'sequential', by: thread.first.from } as const
      accepted(
        await owner.append({
          facts: [{ ...started, run: 'run_1', cause: thread.first.id }],
          consumed: [thread.first.id],
          row: running,
          progress: true
        })
      )
      assert.deepEqual(await store.runs(thread.id), [
        { thread: thread.id, run: 'run_1', status: 'running', turns: 1, usage, cost: 1, startedIn: 2 }
      ])
      const ended = { v: 1, type: 'run.ended', run: 'run_1', status: 'stopped', why: 'max_turns' } as const
      const next = kit.row({ status: 'running', run: 'run_2', startedIn: 3 })
      accepted(await owner.append({ facts: [ended, { ...started, run: 'run_2' }], row: next }))
      const runs = await store.runs(thread.id)
      assert.deepEqual(
        runs.map(({ run, status, why, usage: used, startedIn, endedIn }) => ({ run, status, why, used, startedIn, endedIn })),
        [
          { run: 'run_1', status: 'stopped', why: 'max_turns', used: usage, startedIn: 2, endedIn: 3 },
          { run: 'run_2', status: 'running', why: undefined, used: next.runUsage, startedIn: 3, endedIn: undefined }
        ]
      )
    }
  },
  {
    name: 'follows a repinned publication, and refuses everything to a thread that moved away',
    async run({ store }, kit) {
      const thread = await kit.start()
      const owner = await kit.own(thread)
      accepted(await owner.append({ facts: [{ v: 1, type: 'thread.repinned', publication: 'sha256:q', by: 'migrate' }] }))
      assert.equal((await store.thread(thread.id))?.publication, 'sha256:q')
      accepted(await owner.append({ facts: [{ v: 1, type: 'thread.moved', to: 'elsewhere' }] }))
      assert.equal(refusal(await owner.append({ facts: [note()] })), 'moved')
      assert.deepEqual(await store.deliver([kit.item(thread.id, 'late')]), ['refused'])
      assert.deepEqual(await kit.claim('worker-2', { only: [thread.id], takeover: true }), [])
    }
  },
  {
    name: 'gives null or nothing for what it does not know',
    async run({ store }, kit) {
      assert.equal(await store.thread('thr_none'), null)
      assert.equal(await store.wait('thr_none:w'), null)
      assert.deepEqual(await store.read('thr_none', 1, 1000), [])
      assert.deepEqual(await store.pending('thr_none'), [])
      assert.deepEqual(await store.runs('thr_none'), [])
      assert.deepEqual(await store.deliver([kit.item('thr_none', 'i')]), ['refused'])
      assert.deepEqual(await store.follow({ tenant: 'default' }, '', 10), { commits: [], next: '' })
    }
  },
  {
    name: 'refuses every call with store_closed once it has been closed',
    async run({ store }, kit) {
      const thread = kit.thread()
      await store[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await assertCode(store.create(thread), 'store_closed')
      await assertCode(store.read(thread.id, 1, 1000), 'store_closed')
      await assertCode(kit.claim('worker-1'), 'store_closed')
    }
  },
  {
    name: 'keeps any text that JSON can carry, and shares nothing with what it was given',
    async run({ store }, kit) {
      const text = `\u0000 \ud800 \udc00 "\\ é 漢 🜁 \u2028`
      const body: { [key: string]: string } = { text, ['ключ']: '' }
      const thread = kit.thread({ row: kit.row({ agent: 'ünïcode' }) })
      await store.create({ ...thread, first: { ...kit.item(thread.id, 'start'), body } })
      body['text'] = 'changed afterwards'
      const [item] = await store.pending(thread.id)
      assert.deepEqual(item?.body, { text, ['ключ']: '' })
      const owner = await kit.seize(thread)
      const fact = { ...received('start'), parts: { inline: [{ type: 'text' as const, text }] } }
      accepted(await owner.append({ facts: [fact], consumed: ['start'] }))
      const [commit] = await store.read(thread.id, 2, 1000)
      assert.deepEqual(commit?.facts, [fact])
    }
  }
]
