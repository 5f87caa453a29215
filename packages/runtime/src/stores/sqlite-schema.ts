/** `HLDF`: what marks a file as a store of ours. */
export const APPLICATION_ID = 0x484c4446

// The row of the highest position is never deleted (see sqlite-removal.ts), so a rowid is never given twice and serves as the position in the
// feed.
const SCHEMA_1: readonly string[] = [
  `CREATE TABLE publication (digest TEXT PRIMARY KEY, definition TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,

  // `activity`: `at` in whole seconds, so that the indexes of lists change at most once a second. \`tree\`: the root, unless it is the thread itself.
  `CREATE TABLE thread (
    no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, key TEXT,
    root TEXT NOT NULL, tree TEXT, path TEXT NOT NULL, parent TEXT, depth INTEGER NOT NULL, birth TEXT NOT NULL, created_at INTEGER NOT NULL,
    publication TEXT NOT NULL, head INTEGER NOT NULL, at INTEGER NOT NULL, activity INTEGER NOT NULL, format INTEGER NOT NULL,
    attempt INTEGER NOT NULL, idle INTEGER NOT NULL, owner TEXT, timer_at INTEGER, moved INTEGER NOT NULL, labels TEXT,
    status TEXT NOT NULL, row TEXT NOT NULL
  ) STRICT`,
  `CREATE UNIQUE INDEX thread_key ON thread (tenant, key) WHERE key IS NOT NULL`,
  `CREATE INDEX thread_activity ON thread (tenant, activity)`,
  `CREATE INDEX thread_open ON thread (tenant, activity) WHERE status IN ('queued', 'running', 'waiting')`,
  `CREATE INDEX thread_root ON thread (root)`,
  `CREATE INDEX thread_owner ON thread (owner) WHERE owner IS NOT NULL`,
  `CREATE INDEX thread_timer ON thread (timer_at) WHERE timer_at IS NOT NULL AND owner IS NULL`,

  // An index of `thread.labels`, kept by its triggers as SQLite keeps its own: for each label its threads in the order of lists.
  `CREATE TABLE label (
    tenant TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, activity INTEGER NOT NULL, thread INTEGER NOT NULL,
    PRIMARY KEY (tenant, key, value, activity, thread)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX label_thread ON label (thread)`,
  `CREATE TRIGGER label_made AFTER INSERT ON thread WHEN new.labels IS NOT NULL BEGIN
    INSERT INTO label SELECT new.tenant, l.key, l.value, new.activity, new.no FROM json_each(new.labels) AS l;
  END`,
  `CREATE TRIGGER label_moved AFTER UPDATE OF activity ON thread WHEN new.labels IS NOT NULL AND new.activity <> old.activity BEGIN
    UPDATE label SET activity = new.activity WHERE thread = new.no;
  END`,
  `CREATE TRIGGER label_removed AFTER DELETE ON thread WHEN old.labels IS NOT NULL BEGIN
    DELETE FROM label WHERE thread = old.no;
  END`,

  `CREATE TABLE log (
    position INTEGER PRIMARY KEY, thread INTEGER NOT NULL, sequence INTEGER NOT NULL, attempt INTEGER NOT NULL, at INTEGER NOT NULL,
    tree TEXT, worker TEXT NOT NULL, format INTEGER NOT NULL, digest TEXT NOT NULL, facts TEXT NOT NULL,
    UNIQUE (thread, sequence)
  ) STRICT`,
  `CREATE INDEX log_tree ON log (tree) WHERE tree IS NOT NULL`,

  // state: 0 fresh, 1 deferred, 2 consumed. Consumed ones stay without their body, so that a repeat is known as one.
  `CREATE TABLE item (
    no INTEGER PRIMARY KEY, thread INTEGER NOT NULL, id TEXT NOT NULL, state INTEGER NOT NULL, at INTEGER NOT NULL, digest TEXT NOT NULL,
    taken_in INTEGER, kind TEXT NOT NULL, scope TEXT, sender TEXT NOT NULL, body TEXT,
    UNIQUE (thread, id)
  ) STRICT`,
  `CREATE INDEX item_pending ON item (thread, state) WHERE state < 2`,
  `CREATE INDEX item_fresh ON item (state) WHERE state = 0`,

  `CREATE TABLE wait (
    no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, thread TEXT NOT NULL, root TEXT NOT NULL, kind TEXT NOT NULL,
    state TEXT NOT NULL, row TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX wait_tenant ON wait (tenant) WHERE state <> 'closed'`,
  `CREATE INDEX wait_thread ON wait (thread) WHERE state <> 'closed'`,
  `CREATE INDEX wait_root ON wait (root) WHERE state <> 'closed'`,

  `CREATE TABLE run (thread INTEGER NOT NULL, id TEXT NOT NULL, started_in INTEGER NOT NULL, row TEXT NOT NULL, PRIMARY KEY (thread, id)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE worker (id TEXT PRIMARY KEY, until INTEGER NOT NULL, lease_ms INTEGER NOT NULL, ended INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE INDEX worker_until ON worker (until)`,
  `CREATE TABLE artifact_use (tenant TEXT NOT NULL, digest TEXT NOT NULL, thread INTEGER NOT NULL, PRIMARY KEY (thread, digest)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX artifact_use_digest ON artifact_use (tenant, digest)`,
  // Apart from their bytes, because SQLite writes a whole row anew when a column of it changes.
  `CREATE TABLE artifact (
    no INTEGER PRIMARY KEY, tenant TEXT NOT NULL, digest TEXT NOT NULL, at INTEGER NOT NULL, size INTEGER NOT NULL,
    UNIQUE (tenant, digest)
  ) STRICT`,
  `CREATE TABLE artifact_bytes (artifact INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT`
]

/** The statements that lead from each schema to the next. Released ones are never changed. */
export const MIGRATIONS: readonly (readonly string[])[] = [SCHEMA_1]

/** The schema that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length
