import type { HoldfastEvent } from '../../packages/runtime/src/contracts/event.ts'

/** One sentence for each type of fact and of event; `scripts/docs.ts` fails for a missing and for a surplus one. */
export const FACT_NOTES: { readonly [type in HoldfastEvent['type']]: string } = {
  'thread.created': 'A thread exists, pinned to a publication.',
  'thread.repinned': 'The thread goes on with another publication.',
  'thread.forked': 'The thread was made with the past of another one; what stands before this was copied.',
  'thread.moved': 'The thread is kept elsewhere from now on.',
  'attempt.claimed':
    'A worker has become the owner; its attempt fences off older ones. `why`: `items`, something new lay in its inbox; `timer`, its timer was due, also the one that a stopping owner sets to now so that its thread is ready at once; `expired`, the lease of its owner had run out; `takeover`, its owner had a lease and was dispossessed, for the host said so or since its process was gone.',
  'run.started': 'A run has begun.',
  'run.cancelRequested': 'Somebody asked for the end of the run.',
  'run.ended': 'The run is over. Nothing follows in it.',
  'message.received': 'A message was taken into the conversation.',
  'message.admitted': 'Hooks have looked at a message that waits to be taken. It is not taken before.',
  'message.returned': 'A message was not taken, and why: its text, so that it can be sent again.',
  'item.discarded': 'Something else in the inbox had nothing to act on.',
  'prompts.injected':
    'What stands before the first message of the thread: texts of its definition, and calls, all of turn 0. Each prompt with calls is over when they have their results; when one of them has waited, those behind it are left out.',
  'turn.started':
    'A model is about to be asked: committed before the request is sent. `moved` says that another one was asked before, and why.',
  'model.responded': 'The answer of the model, whole, with its usage and cost.',
  'model.failed': 'A try gave no answer. Interrupted: somebody had something to say, and the model is asked again with it.',
  'call.gated': 'It was decided whether and with which arguments a call may run.',
  'call.started': 'A tool is about to run: committed before it does.',
  'call.suspended':
    'A tool has let go of its process in the middle of a call, until a wait is over. The next start is the next leg of the call.',
  'call.reconciled': 'A tool was asked what became of a start of its own that an older attempt made. `final`: after its deadline.',
  'call.settled': 'A call has ended. Each call of a closed turn has exactly one of these.',
  'turn.prepared': 'Hooks have looked at what a model is about to be asked. What they add stands in the requests of this turn alone.',
  'turn.reviewed': 'Hooks have looked at the answer of a turn that came with `review`. Until then nothing of it is seen or run.',
  'call.reviewed': 'Hooks have looked at the result of a call that ended with `review`. Until then its turn goes on and no model sees it.',
  'wait.opened': 'The run waits for something.',
  'wait.resolved': 'A wait is over.',
  'approval.remembered': 'An approval holds for later calls, too.',
  'step.started': 'A step of a workflow has begun.',
  'step.settled': 'A step has ended.',
  'variables.set': 'The variables that the run was started with.',
  'state.set':
    'A plugin (`owner`) has set a value of its state; null: it has its initial value again. In the commit of the call, or the check, that set it.',
  'context.rewritten': 'A part of the conversation is shown to the model in another form.',
  'hook.recorded': 'A hook changed, blocked, answered or held something, or failed; one that only looks leaves no trace.',
  'agent.spawned': 'A child thread was started by a call.',
  'agent.reported': 'A child has come to rest.',
  'watch.added': 'Another thread watches this one.',
  'watch.fired': 'What a watch looks for has come.',
  'monitor.armed': 'This thread watches another one.',
  'monitor.fired': 'What this thread watches for has come.',
  'budget.set': 'A budget was set or changed.',
  'text.delta': 'A piece of the text of the answer that is coming.',
  'reasoning.delta': 'A piece of its reasoning.',
  'arguments.delta': 'A piece of the arguments of a call that is coming.',
  'try.reset': 'The try gave no answer: drop what was shown of it.',
  'tool.progress': 'What a tool tells while it runs.',
  'run.settled': 'The run is at rest; the stream ends here unless it follows.'
}
