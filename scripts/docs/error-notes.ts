import type { ErrorCode } from '../../packages/runtime/src/contracts/errors.ts'

/** What has happened, and what to do about it. */
export interface ErrorNote {
  readonly cause: string
  readonly remedy: string
}

/** One for each code of the error table; `scripts/docs.ts` fails for a missing and for a surplus one. */
export const ERROR_NOTES: { readonly [code in ErrorCode]: ErrorNote } = {
  invalid_input: {
    cause: 'An argument, an option or a value that was given cannot be used. Nothing was started.',
    remedy: 'The message says what was expected and what came; give that.'
  },
  invalid_manifest: {
    cause: 'An agent, as a file or in code, is not what an agent must be.',
    remedy:
      'All problems are listed at once, each with its place and, where one is near, the name that was meant. Correct them; `manifest.md` lists the fields.'
  },
  invalid_config: {
    cause: 'A configuration, the script of a model, or an environment variable that they name cannot be used.',
    remedy: 'Correct what the message names; `holdfast config show` tells how the configuration is understood.'
  },
  invalid_tools: {
    cause: 'A tools module cannot be imported or exports no tool, two tools have one name, or a declaration is wrong.',
    remedy: 'Import the module alone with `node FILE` to see it fail, and correct the field that `details` names.'
  },
  value_too_large: {
    cause: 'An input, an attachment, a template or the whole request of a model is larger than its bound.',
    remedy:
      'Give less, or raise the bound where it is a limit of the definition (`maxInputBytes`). A conversation that has grown too long needs a new thread.'
  },
  file_not_found: {
    cause: 'A file that was named does not exist.',
    remedy: 'Correct the path. A path in a configuration is relative to that file.'
  },
  file_unreadable: {
    cause: 'A file exists and cannot be used: a folder, missing rights, not UTF-8, or a kind that cannot be attached.',
    remedy: 'Name another file or change its rights.'
  },
  secret_missing: {
    cause: 'The environment variable in which a key is looked for is not set.',
    remedy: 'Set the variable that the message names; `holdfast doctor` shows which keys are there.'
  },
  model_unknown: {
    cause: 'Nothing here knows the model that the agent names.',
    remedy: 'Name it as provider/model, or as a profile under `models` of the configuration; in code, give it in `models` of the runtime.'
  },
  model_not_granted: {
    cause: 'The agent asks a model, as its own or as one that stands in, which the grants of its thread leave out. Nothing was asked.',
    remedy:
      'Grant it (`grants.models`, or `--grant models=NAME`), or use a model that is granted. A thread that was started before goes on as soon as it is granted again.'
  },
  tool_unknown: {
    cause: 'The agent names a tool that nothing here defines.',
    remedy: 'Name the module that has it: `--tools FILE`, or `tools` of the configuration; in code, give it in `tools` of the runtime.'
  },
  thread_not_found: {
    cause: 'The store has no thread of that id.',
    remedy: 'List what there is with `holdfast threads`; name another store with `--store`.'
  },
  thread_busy: {
    cause: 'Another live worker owns the thread, or it has not come to rest.',
    remedy:
      'Wait until it rests, send it a message, or end its run with `holdfast cancel`. `holdfast resume --takeover` dispossesses a live owner: see the how-to on operating.'
  },
  thread_unplaceable: {
    cause: 'This process lacks a tool or a model that the thread was started with.',
    remedy:
      'Name what is missing: `--tools FILE` for tools, `--config FILE` for models. A run whose tools are lost can be ended: `holdfast cancel` needs none.'
  },
  forbidden: {
    cause:
      'Who acts through this runtime may not decide about the wait: a model, an agent and the runtime never may, and the host may say more.',
    remedy: 'Decide as a person or host who may, or change `mayDecide` of the runtime.'
  },
  conflict: {
    cause: 'Something else is there already under the same key, id or name, or the state of the thread does not allow what was asked.',
    remedy: 'Use another key, id or folder; for a retry, look at the thread with `holdfast explain`.'
  },
  runtime_closed: {
    cause: 'The runtime was closed and drives nothing any more.',
    remedy: 'Make another runtime over the same store. Messages that it still accepted are kept.'
  },
  store_unavailable: {
    cause: 'The store cannot be reached or did not answer: a locked file, missing rights, a file system without shared memory.',
    remedy: 'Remove the cause that the message names and repeat. What was acknowledged is kept, and a repeat writes nothing twice.'
  },
  store_full: {
    cause: 'No space is left where the store is kept.',
    remedy: 'Free some space and go on with `holdfast resume`. What was acknowledged is kept.'
  },
  store_closed: {
    cause: 'The store was closed while it was still used.',
    remedy: 'Close the runtime before its store; open the store again to go on.'
  },
  store_foreign: {
    cause: 'The file is a SQLite database of another program. It was left as it is.',
    remedy: 'Name another file for the store.'
  },
  store_newer: {
    cause: 'The file was written by a newer version of Holdfast. It was left as it is.',
    remedy: 'Use that version or a newer one.'
  },
  store_corrupt: {
    cause: 'The file is damaged or is no database. It is never replaced by an empty one.',
    remedy: 'Restore it, with its `-wal` file, from a backup; or move both away to begin anew. `holdfast store check` says what is wrong.'
  },
  log_corrupt: {
    cause: 'A commit of a thread is missing, or its facts do not have the digest that stands with them.',
    remedy: 'Restore the store, or take the export again. Other threads are not touched.'
  },
  format_unknown: {
    cause: 'A commit or an export has a format that this version does not know, most often of a newer one.',
    remedy: 'Use the version that wrote it or a newer one.'
  },
  publication_missing: {
    cause: 'The frozen definition that a thread is pinned to is not in the store.',
    remedy: 'Restore the store from a backup. A thread is never driven with another definition instead.'
  },
  plugin_changed: {
    cause:
      'A plugin of the thread is here in a version that gives less than it was published with, takes its options no more, or goes beyond its bounds.',
    remedy: 'Drive the thread where the plugin is as it was published. A thread is never driven with half of a plugin instead.'
  },
  artifact_missing: {
    cause: 'A fact refers to a body that is kept outside of the log, and that body is not here.',
    remedy: 'Restore the store from a backup.'
  },
  artifact_corrupt: {
    cause: 'What is kept under a digest is not what was put there: it was changed or damaged. It is not used.',
    remedy: 'Restore the store (and the folder of artifacts, where they lie in files) from a backup. The log of the thread is whole.'
  },
  grants_unreadable: {
    cause: 'What a thread may do was recorded, and the record is damaged or comes from a newer version. Then nothing is granted.',
    remedy: 'Drive the thread with the version that wrote it, or restore the store from a backup.'
  },
  provider_unavailable: {
    cause: 'The provider could not be reached, or failed by itself, as often as it was asked.',
    remedy: 'Try again later with `holdfast retry`; `maxRetries` says how often a model call is repeated.'
  },
  provider_overloaded: {
    cause: 'The provider said that it is overloaded.',
    remedy: 'Try again later with `holdfast retry`, or use another model.'
  },
  provider_rejected: {
    cause: 'The provider refused the request: the key, the model, its settings, or a quota that is used up.',
    remedy: 'Check them; `holdfast doctor --reach` asks each provider for one word. Then `holdfast retry`.'
  },
  rate_limited: {
    cause: 'The provider allows no further request for now, as often as it was asked, or for longer than a week or than the run may last.',
    remedy: 'Try again later with `holdfast retry`.'
  },
  stream_interrupted: {
    cause: 'The answer of the model broke off before its end.',
    remedy: 'It was asked again already; try later with `holdfast retry`.'
  },
  provider_timeout: {
    cause: 'The provider did not answer in time.',
    remedy: 'Try again with `holdfast retry`, or raise `providerTimeoutMs`.'
  },
  response_too_large: {
    cause: 'The answer of the model was larger than is kept.',
    remedy: 'Ask for a shorter one, or bound it with `maxOutputTokens`.'
  },
  output_truncated: {
    cause: 'The model reached its output limit before the end of its answer or of a call.',
    remedy: 'Raise `maxOutputTokens`, or ask for less.'
  },
  content_filtered: {
    cause: 'The provider withheld the answer or refused the input.',
    remedy: 'Ask for something else: `holdfast retry THREAD TEXT`.'
  },
  empty_model_response: {
    cause: 'The model answered several times without text and without a call.',
    remedy: 'Try again, say more, or use another model.'
  },
  usage_missing: {
    cause:
      'The thread has a budget of tokens or cost, and the provider did not say what its answer used. No second call is made on a guess.',
    remedy:
      'Have the server report usage (many need an option for it with streams). To go on with estimates, set the budget once more, `holdfast budget extend`, and retry; or take it away with `none`.'
  },
  output_invalid: {
    cause: 'The answer does not match `outputSchema`, and did not after the model was told so.',
    remedy: 'Say in the system prompt what is wanted, loosen the schema, or use another model.'
  },
  script_exhausted: {
    cause: 'A scripted model was asked once more than its script has turns.',
    remedy: 'Add a turn to the script, or end the run before.'
  },
  http_blocked: {
    cause: 'A request of `fetch_url` was not made: the URL, its host or its address is not allowed.',
    remedy:
      'Use a public http or https address; a private host is opened by naming it with its port in `network.hosts` and setting `network.private`.'
  },
  http_unreachable: {
    cause: 'The host has no address, or no connection could be made.',
    remedy: 'Check the name and the port; try again later.'
  },
  http_timeout: { cause: 'The host did not answer in time.', remedy: 'Try again later, or raise the time limit of the client.' },
  http_too_large: {
    cause: 'The answer, or its head, is larger than allowed, packed or unpacked.',
    remedy: 'Ask for less, or raise the bound of the client.'
  },
  http_protocol: {
    cause: 'The answer broke the protocol: malformed, cut off, an unknown encoding, a redirect to nowhere or too many of them.',
    remedy: 'Try again later; if it stays so, the server is at fault.'
  },
  hook_blocked: {
    cause: 'A hook of the host blocked what the run was about to do, and nothing could follow.',
    remedy:
      'The message names the hook and its reason. Ask otherwise, or have the host change the hook; `holdfast retry THREAD` asks the model again.'
  },
  hook_failed: {
    cause: 'A hook of the host threw, took too long or answered something that it may not: what it was to check goes no further.',
    remedy: 'The fact `hook.recorded` says what went wrong. Mend the hook; `holdfast retry THREAD` asks the model again.'
  },
  quarantined: {
    cause: 'The processes that drove the run died again and again without getting on (`crashBudget`), and a person refused another try.',
    remedy:
      'Look at what was under way when they died: `holdfast log THREAD`. When it is mended, `holdfast retry THREAD` starts the next run from there.'
  },
  livelock: {
    cause: 'Deciding what a thread does next did not come to an end. This is a defect of Holdfast.',
    remedy: 'Report it with `holdfast export THREAD`; the thread is kept as it is.'
  },
  internal: {
    cause: 'Something happened that no other code covers. In the command this is a defect of Holdfast.',
    remedy: 'Report it; `HOLDFAST_DEBUG=1` shows where it happened.'
  }
}
