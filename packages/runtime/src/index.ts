export type { Runtime } from './contracts/api.ts'
export { defineAgent } from './define-agent.ts'
export { defineTool } from './define-tool.ts'
export type { ToolArguments, ToolOptions, ToolSchema, TypedTool } from './define-tool.ts'
