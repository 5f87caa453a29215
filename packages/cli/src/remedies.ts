import type { ErrorCode } from '@holdfast/runtime'

/** What to do about each error: what the command says, and its page in the reference. */
export const REMEDIES: { readonly [code in ErrorCode]: string } = {
  invalid_input: 'The message says what was expected and what came; give that.',
  invalid_manifest:
    'All problems are listed at once, each with its place and, where one is near, the name that was meant. Correct them; `manifest.md` lists the fields.',
  invalid_config:
    'Correct what the message names. `configuration.md` of the reference lists the fields of a configuration, `test.md` of the how-to guides those of a script.',
  invalid_tools:
    'Make each tool with `defineTool({ … })`, and correct the field that the message names. Where a module cannot be loaded, `node FILE` shows it alone.',
  value_too_large:
    'Give less, or raise the bound where it is a limit of the definition (`maxInputBytes`). A conversation that has grown too long needs a new thread.',
  file_not_found: 'Correct the path. A path in a manifest or a configuration is relative to that file.',
  file_unreadable: 'Name another file; where the rights to read it are missing, give them.',
  output_unwritable: 'Write elsewhere, or make room; `holdfast show THREAD` has the result of a run.',
  secret_missing:
    'Put a line `NAME=…` into the file .env beside `holdfast.config.yaml` (`version: "1.0"` is enough for one), or have the environment set NAME. `holdfast doctor` shows which keys are there.',
  model_unknown:
    'Name another one (`model`, `--model provider/model`), or make a profile in `holdfast.config.yaml`: `models: { main: { provider: openai, model: gpt-5 } }`; `holdfast models` lists what is there. A program gives it in `models` of its runtime.',
  model_not_granted:
    'Grant it (`grants.models`, or `--grant models=NAME`), or use a model that is granted. A thread that was started before goes on as soon as it is granted again.',
  tool_unknown:
    'Name the module that has it: `--tools FILE`, or `tools` of the configuration; a program gives it in `tools` of its runtime. With the command come read_file, list_directory, search_files, write_file, edit_file and fetch_url.',
  thread_not_found: 'List what there is with `holdfast threads`; name another store with `--store`.',
  thread_busy:
    'Wait until it rests, send it a message, or end its run with `holdfast cancel`. `holdfast resume --takeover`, in code `resume({ takeover: true })`, dispossesses a live owner.',
  thread_taken:
    'Leave the answer to that process: somebody took it with `resume --takeover`, or this one had stood still for longer than its lease. `details.worker` says who. `holdfast attach` watches what it does, `holdfast show` says what became of the run. In code `settled()` without `here` waits for it.',
  thread_unplaceable:
    'Name what is missing: `--tools FILE` for tools, `--config FILE` for models. A run whose tools are lost can be ended: `holdfast cancel` needs none.',
  forbidden: 'Decide as a person or host who may, or change `mayDecide` of the runtime.',
  conflict: 'Use another key, id or folder; for a retry, look at the thread with `holdfast explain`.',
  runtime_closed: 'Make another runtime over the same store. Messages that it still accepted are kept.',
  store_unavailable:
    'Remove the cause that the message names and repeat. What was acknowledged is kept, and a repeat writes nothing twice.',
  store_full: 'Free some space and go on with `holdfast resume`.',
  store_closed: 'Close the runtime before its store; open the store again to go on.',
  store_foreign: 'Name another file for the store (`--store`).',
  store_newer: 'Use the version that wrote it, a newer one, or another file (`--store`).',
  store_corrupt:
    'Name another file with `--store` if this one is no store. If it is, restore it, with its `-wal` file, from a backup, or move both away to begin anew.',
  log_corrupt: 'Restore the store, or take the export again. Other threads are not touched.',
  format_unknown: 'Use the version that wrote it or a newer one.',
  publication_missing: 'Restore the store from a backup. A thread is never driven with another definition instead.',
  plugin_changed: 'Drive the thread where the plugin is as it was published. A thread is never driven with half of a plugin instead.',
  artifact_missing: 'Restore the store from a backup.',
  artifact_corrupt:
    'Restore the store (and the folder of artifacts, where they lie in files) from a backup. The log of the thread is whole.',
  grants_unreadable: 'Drive the thread with the version that wrote it, or restore the store from a backup.',
  provider_unavailable: 'Try again later with `holdfast retry`; `maxRetries` says how often a model call is repeated.',
  provider_overloaded: 'Try again later with `holdfast retry`, or use another model.',
  provider_rejected: 'Check them; `holdfast doctor --reach` asks each provider for one word. Then `holdfast retry`.',
  rate_limited: 'Try again later with `holdfast retry`.',
  stream_interrupted: 'It was asked again already; try later with `holdfast retry`.',
  provider_timeout: 'Try again with `holdfast retry`, or raise `providerTimeoutMs`.',
  response_too_large: 'Ask for a shorter one, or bound it with `maxOutputTokens`.',
  output_truncated: 'Raise `maxOutputTokens`, or ask for less.',
  content_filtered: 'Ask for something else: `holdfast retry THREAD TEXT`.',
  empty_model_response: 'Try again, say more, or use another model.',
  usage_missing:
    'Have the server report usage (many need an option for it with streams). To go on with estimates, set the budget once more, `holdfast budget extend`, and retry; or take it away with `none`.',
  output_invalid: 'Say in the system prompt what is wanted, loosen the schema, or use another model.',
  script_exhausted: 'Add a turn to the script, or end the run before.',
  http_blocked:
    'Use a public http or https address; a private host is opened by naming it with its port in `network.hosts` and setting `network.private`.',
  http_unreachable: 'Check the name and the port; try again later.',
  http_timeout: 'Try again later, or raise the time limit of the client.',
  http_too_large: 'Ask for less, or raise the bound of the client.',
  http_protocol: 'Try again later; if it stays so, the server is at fault.',
  hook_blocked:
    'The message names the hook and its reason. Ask otherwise, or have the host change the hook; `holdfast retry THREAD` asks the model again.',
  hook_failed: 'The fact `hook.recorded` says what went wrong. Mend the hook; `holdfast retry THREAD` asks the model again.',
  quarantined:
    'Look at what was under way when they died: `holdfast log THREAD`. When it is mended, `holdfast retry THREAD` starts the next run from there.',
  livelock: 'Report it with `holdfast export THREAD`; the thread is kept as it is.',
  process_ended:
    'It is code of a tool, a plugin, a hook, or of what they load: catch the error where it is thrown, await what fails, and let nothing end the process. `holdfast resume` goes on with what it drove.',
  internal: 'Report it; `HOLDFAST_DEBUG=1` shows where it happened.'
}
