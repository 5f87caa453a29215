import type { Json, ThreadHandle } from '@holdfast/runtime'
import { isUnreadable } from './unreadable-log.ts'

/** What plugins keep in a thread, by plugin and key; nothing as well where its log cannot be read as a whole. */
export async function readPluginState(thread: ThreadHandle): Promise<{ readonly [plugin: string]: { readonly [key: string]: Json } }> {
  try {
    return await thread.pluginState()
  } catch (error) {
    if (isUnreadable(error)) return {}
    throw error
  }
}
