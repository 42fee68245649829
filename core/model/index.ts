export type { AgentModel } from "./agent-model.ts";
export { ChatMessage, type ToolCall, ToolResult } from "./chat-message.ts";
export { createModel } from "./create-model.ts";
export { describeTools } from "./describe-tools.ts";
export { ModelFailed, type ModelFailure } from "./model-failed.ts";
export type { ModelParts } from "./model-parts.ts";
export { type StepRequest, StepResponse } from "./step.ts";
