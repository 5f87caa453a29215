import type { ErrorCode } from '../../packages/runtime/src/contracts/errors.ts'
import type { ErrorCase } from './error-case.ts'
import { RUN_ERROR_CASES } from './error-cases-of-runs.ts'

/** One for each code of the error table; `scripts/docs.ts` fails for a missing and for a surplus one. */
export const ERROR_CASES: { readonly [code in ErrorCode]: ErrorCase } = {
  invalid_input: {
    when: [
      'A command was called with an option that it does not have, a thread id that is none, an empty text, or text that is not UTF-8.',
      'A start gave variables that the definition does not declare, or of another type.',
      'A message was empty, or `retry` had nothing to ask the model.',
      'An export was imported that is none, or holds a registered secret.'
    ],
    message: '"x" is no thread id: expected thr_ and letters and digits.'
  },
  invalid_manifest: {
    when: ['`run`, `chat` or `tools` read an agent file.', '`runtime.start` or `runtime.publish` was given a definition.'],
    message: 'a.yaml cannot be used: 1 problem.\n  a.yaml:2:1: nam: there is no such field (expected one of …). Did you mean "name"?'
  },
  invalid_config: {
    when: [
      'Any command that reads `holdfast.config.yaml`.',
      'A key or an address was taken from an environment variable whose value cannot be one.',
      'A scripted model was asked for the first time, and its script is not one.'
    ],
    message:
      '…/holdfast.config.yaml cannot be used:\n  …/holdfast.config.yaml:1:1: version: this field is missing (expected "1.0" (a text, so in quotes)).'
  },
  invalid_tools: {
    when: [
      'A module was named with `--tools` or in `tools` of the configuration.',
      '`defineTool` was called with a field that is wrong; it throws at once.',
      'A runtime was given two different tools of one name.',
      'A definition in code has a tool that works with files, hosts or variables, of which the runtime grants nothing.'
    ],
    message: '…: no tool is exported (exports: a).'
  },
  value_too_large: {
    when: [
      'A message, an attachment, standard input or a start was too large.',
      'A run: the request was larger than `limits.maxInputBytes`.',
      'A file tool was to read or write more than its bound; the model reads it as the failure of the call.'
    ],
    message: 'the message has … bytes, at most … fit: give files by URL'
  },
  file_not_found: {
    when: [
      'A manifest, a configuration, a tools module, an attachment, an export or an `@file` was named.',
      'A file tool was asked for a path; the model reads it as the failure of the call.'
    ],
    message: 'There is no manifest at …/b.yaml.'
  },
  file_unreadable: {
    when: [
      'A file that a command was given is a folder, is not UTF-8, or may not be read.',
      'A file tool met a link that leads out of its folders, a hidden or special file, a binary file, or missing rights.'
    ],
    message: '… is a folder.'
  },
  output_unwritable: {
    when: [
      'A command was to write a file (`-o`, a new project) at a place where it may not, or onto a full disk.',
      'Standard output was a file on a full disk; the exit code is then 74, and a thread that was driven is let go.'
    ],
    message: 'Standard output cannot be written: …. What was done is done and kept.'
  },
  secret_missing: {
    when: [
      '`run`, `chat` or `resume` was to use a provider whose key is not in the environment.',
      'The configuration takes the store from a variable that is not set.'
    ],
    message: 'agent.yaml:3:20: model.provider: The provider … needs its key in the environment variable …, which is not set.'
  },
  model_unknown: {
    when: [
      'An agent was started whose `model` names no provider and no profile that is known here.',
      '`--model` named one that is not known. A thread that has begun, none of whose models is known, is left alone instead: `thread_unplaceable`.'
    ],
    message:
      'agent.yaml:3:20: model.provider: There is no provider "foo": built in are openai, anthropic, google, xai, groq, cohere, scripted; there is no configuration file for others.'
  },
  model_not_granted: {
    when: [
      'An agent was started whose model, or a fallback of it, is not in `grants.models` of the host, the start or the agent itself.',
      'A thread was driven whose model is granted no more.'
    ],
    message: 'the agent desk asks "main", which its grants leave out: …'
  },
  tool_unknown: {
    when: ['An agent was started or shown whose `tools` name one that neither the agent nor the runtime has.'],
    message:
      'Tools of the definition cannot be found:\n  agent.yaml:4:9: tools[0]: "nope" is none of the tools that are here: task_complete, ask_user'
  },
  thread_not_found: {
    when: ['A command or a method was given the id of a thread that this store does not have: removed, or of another store.'],
    message: 'there is no thread … in this store'
  },
  thread_busy: {
    when: [
      '`resume`, or `run` with a key that is taken, was to drive a thread that another process drives. `details.life` says what is known of that process: `alive`, or `unknown` where it cannot be seen, as on another machine or in another container. The thread of an unknown one is free when `details.leaseUntil` is over and the lease was not renewed. A process of this machine that is gone is replaced at once, and is no reason for this error.',
      '`rm` was to remove a thread that has an owner, has not come to rest, or has something in its inbox.',
      '`export` read a thread that went on all the time.'
    ],
    message: 'the thread … is driven by …, whose lease holds until …. That process lives: wait for it with settled(), …'
  },
  thread_taken: {
    when: ['A command, or `settled({ here: true })`, waited for a thread that it drove, and another process took it over.'],
    message: 'the thread … was taken from this process: … has brought it to rest'
  },
  thread_unplaceable: {
    when: ['`resume`, `message` or `settled` was to drive a thread in a process without its tools or models.'],
    message: 'the thread … cannot be driven here: this runtime lacks …'
  },
  forbidden: {
    when: ['`approve`, `deny`, `answer` or `decide` was called for a wait that this principal may not decide about.'],
    message: 'The agent … may not decide about the wait …. Ask somebody who may.'
  },
  conflict: {
    when: [
      'A start had an idempotency key under which another thread was started with other content.',
      'A message had an id under which another one was sent.',
      '`retry` of a run that neither failed nor was stopped.',
      '`init`, `store backup` or `import` would have had to replace something.',
      'A file tool was to edit a text that is not there, is there twice, or was changed since it was read.'
    ],
    message: 'the last run of … did not fail and was not stopped: it is completed'
  },
  runtime_closed: {
    when: ['`start`, `resume` or `settled` was called after `close`, or was under way when the runtime was closed.'],
    message: 'this runtime has been closed and drives nothing: make another one over the same store'
  },
  store_unavailable: {
    when: [
      'A command that only looks found no store in the project.',
      'The file may not be read or written, is a folder, or lies on a file system without shared memory.',
      'Another process kept the file locked for longer than 30 seconds.'
    ],
    message: 'There is no store at …/.holdfast/holdfast.db.'
  },
  store_full: {
    when: ['A commit was to be written and the disk was full.', '`store backup` or `store vacuum` had no room for the copy.'],
    message: 'No space is left for …. What was acknowledged is kept.'
  },
  store_closed: {
    when: ['A program closed its store before its runtime, or used it afterwards.'],
    message: 'The store … has been closed. Open it again.'
  },
  store_foreign: {
    when: ['`--store`, the configuration or `sqliteStore` named a database that was not made by Holdfast.'],
    message: '… is a SQLite database of another program (application id 0), and a store has a file of its own.'
  },
  store_newer: {
    when: [
      'A file was opened that a newer version has written.',
      'A newer version has upgraded the file while this process had it open; its next write is refused.'
    ],
    message: '… has schema 2; this program knows schemas up to 1: a newer version of Holdfast has written it.'
  },
  store_corrupt: {
    when: [
      'A file was opened that is no database, was cut off, or is empty beside a `-wal` file that is not.',
      'SQLite found damage while it read.'
    ],
    message: '… is not a readable Holdfast store: it does not begin like a SQLite database. It was left as it is. …'
  },
  log_corrupt: {
    when: ['A thread was read, driven or exported one of whose commits was changed.', 'An export was imported that was changed.'],
    message: "Commit 3 of thread … does not match its digest: the store's data was changed or damaged. Restore the store from a backup."
  },
  format_unknown: {
    when: ['A thread was read that a newer version has written to.', 'An export was imported that a newer version has made.'],
    message: 'Commit 3 of thread … has format 2; this program reads formats up to 1. Use the version that wrote it, or a newer one.'
  },
  publication_missing: {
    when: ['A thread was driven or shown whose definition is not in the store: rows were removed by hand, or a copy is incomplete.'],
    message: 'the publication … is not in the store'
  },
  plugin_changed: {
    when: ['A thread was driven in a process whose plugin lacks a tool, a hook or state that its publication names.'],
    message: 'The plugins of the thread are not here as they were published: the plugin … is here without its hook …'
  },
  artifact_missing: {
    when: ['An artifact was read that is not in the store of artifacts: it was removed by hand, or a copy is incomplete.'],
    message: 'The artifact … is not in the store of artifacts. Restore it from a backup, or name the place where artifacts are kept.'
  },
  artifact_corrupt: {
    when: ['An artifact was read whose bytes do not have the digest that it is kept under.'],
    message: 'The artifact … does not match its digest: what is kept was changed or damaged. Restore it from a backup.'
  },
  grants_unreadable: {
    when: ['A thread was read whose record of what it may do is damaged, or has a field that this version does not know.'],
    message: 'The grants of the thread cannot be read: … of the record is not what this program writes. It has no grants and does not run.'
  },
  ...RUN_ERROR_CASES
}
