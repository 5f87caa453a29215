// A process of its own: what a list of threads costs in a store of 100,000, by itself and as `holdfast threads`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ThreadQuery } from '@holdfast/runtime'
import { createRuntime, sqliteStore } from '@holdfast/runtime'
import { median, print, round } from './figures.ts'
import { benchModel } from './model.ts'
import { newFile } from './store.ts'

const THREADS = 100_000
const REPEATS = 9
const COMMAND = resolve('packages/cli/bin/holdfast.js')

const project = newFile('threads')
const path = join(project, '.holdfast', 'holdfast.db')
try {
  mkdirSync(project)
  // As in every project that `holdfast init` makes.
  writeFileSync(join(project, 'holdfast.config.yaml'), 'version: "1.0"\nmodels: { main: { provider: scripted, model: ./script.yaml } }\n')
  await makeThreads()
  print({ measure: 'threads', threads: THREADS, ...(await timeQueries()), ...timeCommands() })
} finally {
  rmSync(project, { recursive: true, force: true })
}

/** One thread that the runtime made, again and again under other ids: one in a hundred goes on, and one in a thousand has a label that few have. */
async function makeThreads(): Promise<void> {
  {
    await using store = await sqliteStore(path, { durability: 'process' })
    await using runtime = createRuntime({ store, models: { bench: benchModel(1) } })
    const run = await runtime.start({ name: 'bench', model: { ref: 'bench' } }, { input: 'go', labels: { team: 'blue' } })
    await run.settled()
  }
  using db = new DatabaseSync(path)
  const columns = (table: string): readonly string[] =>
    db
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map((row) => String(row['name']))
  const copy = (table: string, changed: { readonly [column: string]: string }): string => {
    const names = columns(table).filter((name) => changed[name] !== '')
    return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map((name) => changed[name] ?? `s.${name}`).join(', ')}
      FROM ${table} AS s, (WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ${THREADS - 1}) SELECT n FROM n)`
  }
  const id = `printf('thr_%020d', n)`
  const at = 's.at - n * 700'
  db.exec('BEGIN')
  db.exec(
    copy('thread', {
      ...{ no: 'n + 1', id, root: id, key: 'NULL', at, created_at: at, activity: `(${at}) / 1000` },
      status: `iif(n % 100 = 0, 'running', s.status)`,
      labels: `iif(n % 1000 = 0, '{"team":"blue","rare":"yes"}', s.labels)`
    })
  )
  db.exec(copy('log', { position: '', thread: 'n + 1' }))
  db.exec(copy('item', { no: '', thread: 'n + 1' }))
  db.exec('COMMIT')
}

async function timeQueries(): Promise<{ readonly [field: string]: number }> {
  await using store = await sqliteStore(path, { durability: 'process' })
  const time = async (query: Omit<ThreadQuery, 'tenant'>): Promise<number> => {
    const times: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const since = performance.now()
      const page = await store.threads({ tenant: 'default', limit: 50, ...query })
      times.push(performance.now() - since)
      if (page.items.length !== 50) throw new Error(`expected a page of 50 threads, got ${page.items.length}`)
    }
    return round(median(times), 2)
  }
  const queryMs = await time({})
  const others = {
    statusMs: await time({ status: ['running', 'waiting', 'failed'] }),
    openMs: await time({ status: ['running'] }),
    labelMs: await time({ labels: { team: 'blue' } }),
    rareLabelMs: await time({ labels: { team: 'blue', rare: 'yes' } }),
    openLabelMs: await time({ status: ['running'], labels: { rare: 'yes' } })
  }
  return { queryMs, ...others, worstMs: Math.max(queryMs, ...Object.values(others)) }
}

/** The whole command, and Node by itself. */
function timeCommands(): { readonly [field: string]: number } {
  const time = (args: readonly string[]): number => {
    const times = Array.from({ length: REPEATS }, () => {
      const since = performance.now()
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: project,
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: '' }
      })
      const durationMs = performance.now() - since
      if (status !== 0) throw new Error(`node ${args.join(' ')} failed:\n${stderr}`)
      if (args[0] === COMMAND && !stdout.includes('thr_')) throw new Error(`no thread was listed:\n${stdout}`)
      return durationMs
    })
    return round(median(times))
  }
  return {
    ms: time([COMMAND, 'threads']),
    jsonMs: time([COMMAND, 'threads', '--json', '--label', 'team=blue']),
    emptyMs: time(['--eval', ''])
  }
}
