// Writes the API report of every entry point of every package (what reviewers read), or with --check fails when one has changed.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import type { IConfigFile } from '@microsoft/api-extractor'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const check = process.argv.includes('--check')
const temporary = mkdtempSync(join(tmpdir(), 'holdfast-api-'))

const changed = ['runtime', 'config'].flatMap((name) => reportPackage(join(ROOT, 'packages', name)))
rmSync(temporary, { recursive: true })
if (changed.length > 0 && check) {
  console.error(`The API differs from its report: ${changed.join(', ')}. Run \`npm run api\`, read the difference and commit it.`)
  process.exitCode = 1
}

/** Names of the reports that differ from the build. */
function reportPackage(folder: string): string[] {
  mkdirSync(join(folder, 'api'), { recursive: true })
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return entryPoints(manifest)
    .filter(([entry, types]) => !report(folder, reportName(folder, entry), types))
    .map(([entry]) => `${basename(folder)} ${entry}`)
}

function entryPoints(manifest: unknown): [string, string][] {
  const { exports } = manifest as { exports: { [entry: string]: string | { types: string } } }
  return Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string' ? [] : [[entry, target.types] as [string, string]]
  )
}

/** `.` of runtime gives `runtime`, `./testing` gives `runtime-testing`. */
function reportName(folder: string, entry: string): string {
  return [basename(folder), ...entry.split('/').slice(1)].join('-')
}

/** Whether the report is as committed. */
function report(folder: string, name: string, types: string): boolean {
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: configOf(folder, name, join(folder, types))
  })
  const result = Extractor.invoke(config, {
    localBuild: !check,
    messageCallback: (message) => {
      message.handled = message.logLevel !== ExtractorLogLevel.Error // a changed report is told by the result
    }
  })
  return result.succeeded && !result.apiReportChanged
}

function configOf(folder: string, name: string, entry: string): IConfigFile {
  return {
    projectFolder: folder,
    mainEntryPointFilePath: entry,
    newlineKind: 'lf',
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          target: 'es2024',
          lib: ['es2024', 'esnext.disposable', 'esnext.collection', 'dom'],
          types: ['node'],
          module: 'nodenext',
          moduleResolution: 'nodenext',
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: true,
          allowImportingTsExtensions: true,
          noEmit: true
        },
        files: [entry]
      }
    },
    apiReport: { enabled: true, reportFileName: `${name}.api.md`, reportFolder: join(folder, 'api'), reportTempFolder: temporary },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.None },
        'ae-forgotten-export': { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true }
      },
      tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } }
    }
  }
}
