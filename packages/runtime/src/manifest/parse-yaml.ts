// The reader is loaded when it is first used: importing the runtime stays quick. AGENTS.md lists this file.
import type { ParsedDocument } from './parsed-document.ts'

/**
 * Reads one document of YAML 1.2 (core schema), or of JSON when the file is called `.json`. Never throws: whatever is wrong stands in `errors`.
 *
 * Refused are duplicate and reserved keys, several documents, tags, directives, merge keys, cycles, aliases that make the document huge, integers that
 * would be rounded, numbers that are not finite, halves of surrogate pairs, more than 128 levels and more than 100,000 nodes.
 */
export async function parseYaml(text: string, file: string): Promise<ParsedDocument> {
  return (await import('./yaml.ts')).readYaml(text, file)
}
