import type { ErrorCase } from './error-case.ts'

/** Errors of models, of requests to other hosts, of hooks, and our own. */
export const RUN_ERROR_CASES = {
  provider_unavailable: {
    when: ['A run: the connection was refused, the name had no address, or the provider answered with a 5xx.'],
    message: 'The provider answered 500: Internal server error'
  },
  provider_overloaded: {
    when: ['A run: the provider answered 503 or 529, or said that it is overloaded.'],
    message: 'The provider answered 529: Overloaded'
  },
  provider_rejected: {
    when: [
      'A run: the provider answered 400, 401, 403, 404 or another status that a repeat does not change, or redirected.',
      'A run: a quota is used up and the provider says that it will not pass.',
      'A model of the host threw `FatalError`.'
    ],
    message: 'The provider answered 401: no such key'
  },
  rate_limited: {
    when: ['A run: the provider answered 429 as often as it was asked.'],
    message: 'The provider answered 429: Rate limit reached'
  },
  stream_interrupted: {
    when: ['A run: the connection broke in the middle of the answer, or the answer ended without saying so.'],
    message: 'The response ended before it was finished.'
  },
  provider_timeout: {
    when: ['A run: there was no answer within `limits.providerTimeoutMs`, or the provider answered 408 or 504.'],
    message: 'the model did not answer within 600000 ms'
  },
  response_too_large: {
    when: ['A run: an answer had more text, reasoning or calls than is kept of one.'],
    message: 'The response is larger than … bytes.'
  },
  output_truncated: {
    when: ['A run: the answer ended because of its length. A call that was cut is never run.'],
    message: 'the model reached its output limit before the end of its answer'
  },
  content_filtered: {
    when: ['A run: the answer ended with `content-filter`, or the provider refused the request for its content.'],
    message: 'the provider withheld the answer'
  },
  empty_model_response: {
    when: ['A run: several answers in a row had neither text nor calls.'],
    message: 'the model answered … times without text and without a call'
  },
  usage_missing: {
    when: ['A run under a budget of tokens or cost, whose provider had not said what its last answer used.'],
    message: 'the provider did not say how many tokens its answer used, and the budget of this thread cannot be kept without'
  },
  output_invalid: {
    when: ['A run of an agent with `outputSchema`: the final answer did not match it, twice.'],
    message: '/total: must be …, but is …'
  },
  script_exhausted: {
    when: ['A run with a scripted model, in a test or an offline project.'],
    message: 'The script has 0 turns, and none is left for a prompt with 0 answers: add a turn, or end the run before.'
  },
  http_blocked: {
    when: [
      '`fetch_url` was asked for a private, loopback or metadata address, a scheme other than http and https, or a host that is not in `network.hosts`; or a redirect led there.'
    ],
    message: 'The request to … was not made: an address of the host is not public; …'
  },
  http_unreachable: {
    when: ['`fetch_url` was asked for a name without an address, or for a host that did not take the connection.'],
    message: 'The request to … failed: the name has no address, and nothing was sent.'
  },
  http_timeout: {
    when: ['`fetch_url` reached one of the time limits of its client; the message names it, and how far the request was.'],
    message: 'The request to … failed: it took longer than … ms (…, phase headers).'
  },
  http_too_large: {
    when: ['`fetch_url` got an answer above one of the bounds of its client, or one that expands too much.'],
    message: 'The request to … failed: the answer is larger than … bytes (body), and nothing of it is used.'
  },
  http_protocol: {
    when: ['`fetch_url` got an answer that is not HTTP, was cut off, or redirected too often.'],
    message: 'The request to … failed: the connection was closed before the answer was complete.'
  },
  hook_blocked: {
    when: [
      'The end of a run: `onMessage`, `beforeInference` or `afterInference` of a hook blocked its first message, a request or an answer.'
    ],
    message: 'the hook … blocked the answer of the model: it promises a refund'
  },
  hook_failed: {
    when: ['The end of a run: `onMessage`, `beforeInference` or `afterInference` of a hook did not give a valid answer in time.'],
    message: 'the hook … could not check the answer of the model'
  },
  quarantined: {
    when: ['The end of a run that was set aside after its owners had died again and again, and that a person gave up.'],
    message: 'the processes that drove the run ended again and again without getting on, and a person gave it up: poison'
  },
  livelock: {
    when: ['A thread was driven, and the next step was decided again and again without an end.'],
    message: 'the plan of thread … did not come to an end after 1000 rounds'
  },
  process_ended: {
    when: [
      'A tool, a plugin, a hook or something that they load threw an error that nothing catches, in a timer say, or left a promise that fails.',
      'One of them called `process.exit` before the command was done.'
    ],
    message: 'process.exit was called before the command was done (…/tools.mjs:1:9).'
  },
  internal: {
    when: ['A command, a run or a method met an error that nobody had foreseen.'],
    message: 'The store made a mistake with …: …'
  }
} as const satisfies { readonly [code: string]: ErrorCase }
