import type { CallId, ThreadId } from './ids.ts'
import type { Json } from './json.ts'

/** What is recorded of threads that start and watch each other. */
export type TreeFact =
  | { readonly type: 'agent.spawned'; readonly child: ThreadId; readonly call: CallId; readonly reserved?: Json }
  | {
      readonly type: 'agent.reported'
      readonly child: ThreadId
      readonly status: string
      readonly used: Json
      readonly returned?: Json
      readonly extended?: Json
    }
  | { readonly type: 'watch.added'; readonly watch: string; readonly watcher: ThreadId; readonly when: Json }
  | { readonly type: 'watch.fired'; readonly watch: string; readonly condition: string }
  | { readonly type: 'monitor.armed'; readonly watch: string; readonly target: ThreadId; readonly when: Json }
  | { readonly type: 'monitor.fired'; readonly watch: string; readonly alert: Json }
