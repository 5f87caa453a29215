/** A file as somebody may write it. */
export type Case = { readonly name: string; readonly path: string; readonly source: string }
/** A file that the linter must refuse, and by which rule. */
export type Forbidden = Case & { readonly rule: string }

export const IMPORTS = 'lint/style/noRestrictedImports'
export const RUNTIME = 'packages/runtime/src'

export function layer(from: string, to: string): Forbidden {
  return {
    name: `${from} to import ${to}`,
    path: `${RUNTIME}/${from}/imports-${to}.ts`,
    source: importing([`../${to}/thing.ts`]),
    rule: IMPORTS
  }
}

export function npm(from: string, name: string): Forbidden {
  const file = `imports-${name.replaceAll(/[^a-z]+/g, '-')}.ts`
  return { name: `${from} to import ${name}`, path: `${RUNTIME}/${from}/${file}`, source: importing([name]), rule: IMPORTS }
}

export function source(name: string, text: string, rule: string): Forbidden {
  return { name: `${name} (${rule})`, path: `${RUNTIME}/util/${name}.ts`, source: text, rule }
}

export function clock(folder: string, name: string, expression: string, rule: string): Forbidden {
  return {
    name: `${expression} in ${folder}`,
    path: `${RUNTIME}/${folder}/uses-${name}.ts`,
    source: `export const value: unknown = ${expression}\n`,
    rule
  }
}

export function importing(paths: readonly string[]): string {
  const lines = paths.map((path, index) => `import { thing as thing${index} } from '${path}'`)
  return `${lines.join('\n')}\nexport const things: readonly unknown[] = [${paths.map((_, index) => `thing${index}`).join(', ')}]\n`
}

export function providerType(): string {
  return "import type { LanguageModelV4 } from '@ai-sdk/provider'\nexport type Model = LanguageModelV4\n"
}

export function tangle(): string {
  const open = Array.from({ length: 6 }, (_, depth) => `${'  '.repeat(depth + 1)}if (n > ${depth}) {`).join('\n')
  const close = Array.from({ length: 6 }, (_, depth) => `${'  '.repeat(6 - depth)}}`).join('\n')
  return `export function tangle(n: number): number {\n${open}\n              n -= 1\n${close}\n  return n\n}\n`
}
