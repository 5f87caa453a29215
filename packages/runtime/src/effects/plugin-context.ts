// Keeps I19: what plugins add to a request is rendered from what was published and what is committed; no code of theirs is asked.
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { Json } from '../contracts/json.ts'
import type { PluginContextPlace, PublishedPlugin } from '../contracts/plugin.ts'
import type { Template } from '../manifest/template.ts'
import { compileTemplate } from '../manifest/template.ts'
import type { PluginValues } from '../state/plugin-values.ts'
import { valueIn } from '../state/plugin-values.ts'

type Plugins = readonly PublishedPlugin[]

/** What the plugins of a definition add at a place, in their order; what is blank is left out. */
export async function renderContext(plugins: Plugins, values: PluginValues | null, place: PluginContextPlace): Promise<readonly string[]> {
  const texts: string[] = []
  for (const plugin of plugins) {
    const text = plugin.context?.[place]
    const rendered = text === undefined ? '' : (await compile(plugin, text)).render({ state: stateOf(plugin, values) })
    if (rendered.trim() !== '') texts.push(rendered)
  }
  return texts
}

/** Puts texts behind the last message of a history, for this request alone: into it where a person speaks last. */
export function appendContext(history: LanguageModelV4Message[], texts: readonly string[]): void {
  if (texts.length === 0) return
  const part = { type: 'text' as const, text: texts.join('\n\n') }
  const last = history.at(-1)
  if (last?.role === 'user') history[history.length - 1] = { ...last, content: [...last.content, part] }
  else history.push({ role: 'user', content: [part] })
}

const templates = new WeakMap<PublishedPlugin, Map<string, Promise<Template>>>()

function compile(plugin: PublishedPlugin, text: string): Promise<Template> {
  const known = templates.get(plugin) ?? new Map<string, Promise<Template>>()
  templates.set(plugin, known)
  const template = known.get(text) ?? compileTemplate(text)
  known.set(text, template)
  return template
}

function stateOf({ name, state = [] }: PublishedPlugin, values: PluginValues | null): { readonly [key: string]: Json } {
  const read = ({ key, initial }: (typeof state)[number]): Json => {
    const kept = valueIn(values, name, key)
    return kept === undefined ? initial : kept
  }
  return Object.fromEntries(state.map((each) => [each.key, read(each)]))
}
