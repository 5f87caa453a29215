// The shapes that files of the runtime and of its configuration share. An entry point of its own: whoever only runs agents loads no zod for it.
export type { AgentFault } from './manifest/agent-fault.ts'
export type { Path, ProblemCode } from './manifest/problem.ts'
export { ModelFallbacksShape, ModelOptionsShape, ModelSettingsShape, fallbackFields, settingsFields } from './manifest/model-shape.ts'
export type { FieldTable, ShapeCheck, ShapeCheckOptions } from './manifest/shape-check.ts'
export { checkShape } from './manifest/shape-check.ts'
export { noteSource } from './manifest/written-source.ts'
