import { latch, recordingModel, toolOf } from './runtime-kit.ts'

/** A tool that says when it begins and ends when it is told to, whatever its signal says. */
export function heldTool() {
  const begun = latch<AbortSignal>()
  const end = Promise.withResolvers<string>()
  const tool = toolOf('hold', (_, { signal }) => {
    begun.open(signal)
    return end.promise
  })
  return { begun: begun.opened, end, tool }
}

/** A model that calls it, and is done with what it gives. */
export const holding = () => recordingModel(({ answers }) => (answers === 0 ? { toolCalls: [{ name: 'hold' }] } : { text: 'done' }))
