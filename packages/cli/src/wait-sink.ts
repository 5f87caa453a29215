// Keeps I9 and I11: told of is what is committed, and whatever becomes of the telling, the run goes on.
import type { WaitNotice } from '@holdfast/config'
import type { EventSink, SinkEvent, WaitKind } from '@holdfast/runtime'
import { createCommandNotice } from './wait-command.ts'
import type { NoticeOptions, WaitMessage } from './wait-notice.ts'
import { createWebhookNotice } from './wait-webhook.ts'

/** What only a person ends. */
const FOR_PEOPLE: ReadonlySet<WaitKind> = new Set<WaitKind>(['approval', 'question', 'budget', 'outcome', 'quarantine'])
/** What of a subject is told; the rest is in the store. */
const MAX_SUBJECT_LENGTH = 16_384
const MAX_AT_ONCE = 8

/** Tells of each wait that is opened in a thread which is driven here, once. */
export function createWaitSink(notice: WaitNotice, options: NoticeOptions): EventSink & Disposable {
  const told = new Set<string>()
  const teller = 'command' in notice ? createCommandNotice(notice, options) : createWebhookNotice(notice, options)
  const tell = async (message: WaitMessage): Promise<void> => {
    try {
      await teller.tell(message)
    } catch (error) {
      options.output.progress(`warning: nobody was told of ${message.data.wait}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return {
    name: 'onWait',
    batchMs: 0,
    async write(events) {
      const messages = events.flatMap(toMessage).filter(({ data }) => !told.has(data.wait))
      // A batch that is given again is not told again.
      for (const { data } of messages) told.add(data.wait)
      for (let from = 0; from < messages.length; from += MAX_AT_ONCE) {
        await Promise.all(messages.slice(from, from + MAX_AT_ONCE).map(tell))
      }
    },
    [Symbol.dispose]: () => teller[Symbol.dispose]()
  }
}

function toMessage(event: SinkEvent): readonly WaitMessage[] {
  if (event.type !== 'wait.opened' || !('data' in event)) return []
  const { wait, kind, call, subject, expiresAfterMs } = event.data
  if (!FOR_PEOPLE.has(kind)) return []
  const { thread, run, at } = event
  const inline = 'inline' in subject ? subject.inline : null
  const isShort = JSON.stringify(inline).length <= MAX_SUBJECT_LENGTH
  return [
    {
      type: 'wait.opened',
      timestamp: new Date(at).toISOString(),
      data: {
        wait,
        thread,
        kind,
        ...(run === undefined ? {} : { run }),
        ...(call === undefined ? {} : { call }),
        ...(isShort ? { subject: inline } : { subject: null, subjectOmitted: true }),
        ...(expiresAfterMs === undefined ? {} : { expiresAt: new Date(at + expiresAfterMs).toISOString() })
      }
    }
  ]
}
