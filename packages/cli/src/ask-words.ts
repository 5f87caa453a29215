import type { PermissionRule, Publication, Store, WaitRow } from '@holdfast/runtime'
import type { CommandContext } from './command-context.ts'
import { readProject } from './configuration.ts'
import { loadRuntime } from './libraries.ts'
import { findConfigFile } from './store-location.ts'
import { toJsonText, toVisibleLine } from './visible-text.ts'

/** Says who asks about a wait, in words that are fit for a terminal. */
export type AskWords = (wait: WaitRow) => Promise<readonly string[]>

/** Where the rules are found that ask. */
export interface RuleSource {
  /** Those of the configuration of today. */
  permissions(): Promise<readonly PermissionRule[]>
  /** Of a thread. */
  publication(thread: string): Promise<Publication | null>
}

/** Turns the ids of those who ask into words. A rule that stands nowhere any more is said to be gone. */
export function createAskWords(source: RuleSource): AskWords {
  return async (wait) => {
    const { asks, answered } = readAsks(wait)
    const said = [...asks].map((ask) => toWords(ask, wait, source))
    const again = answered.length === 0 ? [] : ['it has been approved before, and is asked about again']
    return [...again, ...(await Promise.all(said))]
  }
}

/** The rules of this project and of the publications of a store. A configuration that cannot be read has none to show. */
export function toRuleSource(context: CommandContext, store: Pick<Store, 'thread' | 'publication'>): RuleSource {
  let permissions: Promise<readonly PermissionRule[]> | undefined
  return {
    permissions() {
      permissions ??= readProject(context, findConfigFile(context.io.cwd)).then(
        ({ config }) => config.permissions ?? [],
        () => []
      )
      return permissions
    },
    async publication(thread) {
      const info = await store.thread(thread)
      return info === null ? null : store.publication(info.publication)
    }
  }
}

async function toWords(ask: string, wait: WaitRow, source: RuleSource): Promise<string> {
  if (ask === 'tool') return 'the tool itself'
  if (ask === 'question') return 'the agent'
  if (ask === 'changed') return 'it is not any more what was approved'
  if (ask.startsWith('rule:host:')) return nameRule(ask, 'host', await source.permissions(), 'the configuration')
  if (!ask.startsWith('rule:')) return toVisibleLine(ask)
  const publication = await source.publication(wait.thread)
  const [, plugin] = /^rule:plugin:([^:]+):/.exec(ask) ?? []
  if (plugin !== undefined) {
    const rules = publication?.definition.plugins?.find(({ name }) => name === plugin)?.permissions ?? []
    return nameRule(ask, `plugin:${plugin}`, rules, `the plugin ${toVisibleLine(plugin)}`)
  }
  return nameRule(ask, publication?.digest ?? '', publication?.definition.permissions ?? [], 'the agent')
}

async function nameRule(ask: string, layer: string, rules: readonly PermissionRule[], owner: string): Promise<string> {
  const { toRuleId } = await loadRuntime()
  const rule = rules.find((each) => toRuleId(layer, each) === ask)
  if (rule === undefined) return `a rule of ${owner} that does not stand there now (${toVisibleLine(ask, 40)})`
  const { tool, when } = rule
  return `a rule of ${owner}: ask before ${toVisibleLine(tool)}${when === undefined ? '' : ` when ${toVisibleLine(toJsonText(when), 500)}`}`
}

function readAsks({ subject }: WaitRow): { readonly asks: readonly string[]; readonly answered: readonly string[] } {
  const fields = typeof subject === 'object' && subject !== null && !Array.isArray(subject) ? subject : {}
  const listOf = (name: string): readonly string[] => {
    const value: unknown = Reflect.get(fields, name)
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  }
  return { asks: listOf('asks'), answered: listOf('answered') }
}
