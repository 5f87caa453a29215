import type { ErrorCode } from '../../packages/runtime/src/contracts/errors.ts'

/** What has happened, for each code of the error table. What to do about it is what the command says. */
export const ERROR_CAUSES: { readonly [code in ErrorCode]: string } = {
  invalid_input: 'An argument, an option or a value that was given cannot be used. Nothing was started.',
  invalid_manifest: 'An agent, as a file or in code, is not what an agent must be.',
  invalid_config: 'A configuration, the script of a model, or an environment variable that they name cannot be used.',
  invalid_tools: 'A tools module cannot be imported or exports no tool, two tools have one name, or a declaration is wrong.',
  value_too_large: 'An input, an attachment, a template or the whole request of a model is larger than its bound.',
  file_not_found: 'A file that was named does not exist.',
  file_unreadable:
    'A file exists and cannot be used: a folder, missing rights, not UTF-8, a kind that cannot be attached, or a configuration above the current folder that belongs to another user.',
  output_unwritable: 'A file that was to be written, or standard output, cannot be: a full disk, missing rights, nobody who reads a pipe.',
  secret_missing: 'The environment variable in which a key is looked for is not set.',
  model_unknown: 'Nothing here knows the model that the agent names.',
  model_not_granted:
    'The agent asks a model, as its own or as one that stands in, which the grants of its thread leave out. Nothing was asked.',
  tool_unknown: 'The agent names a tool that nothing here defines.',
  thread_not_found: 'The store has no thread of that id.',
  thread_busy: 'Another live worker owns the thread, or it has not come to rest.',
  thread_taken: "Another worker has taken the thread over from this process, and what becomes of it is that one's to handle.",
  thread_unplaceable: 'This process lacks a tool or a model that the thread was started with.',
  forbidden:
    'Who acts through this runtime may not decide about the wait: a model, an agent and the runtime never may, and the host may say more.',
  conflict: 'Something else is there already under the same key, id or name, or the state of the thread does not allow what was asked.',
  runtime_closed: 'The runtime was closed and drives nothing any more.',
  store_unavailable: 'The store cannot be reached or did not answer: a locked file, missing rights, a file system without shared memory.',
  store_full: 'No space is left where the store is kept.',
  store_closed: 'The store was closed while it was still used.',
  store_foreign: 'The file is a SQLite database of another program. It was left as it is.',
  store_newer: 'The file was written by a newer version of Holdfast. It was left as it is.',
  store_corrupt: 'The file is damaged or is no database. It is never replaced by an empty one.',
  log_corrupt: 'A commit of a thread is missing, or its facts do not have the digest that stands with them.',
  format_unknown: 'A commit or an export has a format that this version does not know, most often of a newer one.',
  publication_missing: 'The frozen definition that a thread is pinned to is not in the store.',
  plugin_changed:
    'A plugin of the thread is here in a version that gives less than it was published with, takes its options no more, or goes beyond its bounds.',
  artifact_missing: 'A fact refers to a body that is kept outside of the log, and that body is not here.',
  artifact_corrupt: 'What is kept under a digest is not what was put there: it was changed or damaged. It is not used.',
  grants_unreadable: 'What a thread may do was recorded, and the record is damaged or comes from a newer version. Then nothing is granted.',
  provider_unavailable: 'The provider could not be reached, or failed by itself, as often as it was asked.',
  provider_overloaded: 'The provider said that it is overloaded.',
  provider_rejected: 'The provider refused the request: the key, the model, its settings, or a quota that is used up.',
  rate_limited:
    'The provider allows no further request for now, as often as it was asked, or for longer than a week or than the run may last.',
  stream_interrupted: 'The answer of the model broke off before its end.',
  provider_timeout: 'The provider did not answer in time.',
  response_too_large: 'The answer of the model was larger than is kept.',
  output_truncated: 'The model reached its output limit before the end of its answer or of a call.',
  content_filtered: 'The provider withheld the answer or refused the input.',
  empty_model_response: 'The model answered several times without text and without a call.',
  usage_missing:
    'The thread has a budget of tokens or cost, and the provider did not say what its answer used. No second call is made on a guess.',
  output_invalid: 'The answer does not match `outputSchema`, and did not after the model was told so.',
  script_exhausted: 'A scripted model was asked once more than its script has turns.',
  http_blocked: 'A request of `fetch_url` was not made: the URL, its host or its address is not allowed.',
  http_unreachable: 'The host has no address, or no connection could be made.',
  http_timeout: 'The host did not answer in time.',
  http_too_large: 'The answer, or its head, is larger than allowed, packed or unpacked.',
  http_protocol: 'The answer broke the protocol: malformed, cut off, an unknown encoding, a redirect to nowhere or too many of them.',
  hook_blocked: 'A hook of the host blocked what the run was about to do, and nothing could follow.',
  hook_failed: 'A hook of the host threw, took too long or answered something that it may not: what it was to check goes no further.',
  quarantined:
    'The processes that drove the run died again and again without getting on (`crashBudget`), and a person refused another try.',
  livelock: 'Deciding what a thread does next did not come to an end. This is a defect of Holdfast.',
  process_ended: 'The process was ended from within, by code of the user, before the command was done.',
  internal: 'Something happened that no other code covers. In the command this is a defect of Holdfast.'
}
