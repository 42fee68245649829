export type { AgentModel, ModelDeps } from "./agent-model.ts";
export { createModel, describeModel, isTrialModel } from "./create-model.ts";
export { ModelFailed, type ModelFailure } from "./model-failed.ts";
export { providers as modelProviders } from "./providers/index.ts";
export type { StepRequest, ToolCall } from "./step.ts";
export { ChatMessage, StepResponse, ToolResult } from "./step.ts";
export { describeTools } from "./tool-calls.ts";
