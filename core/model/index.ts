export type { AgentModel, ModelDeps, ModelSwitch, StepOptions, StepWork } from "./agent-model.ts";
export { createModel, describeModel, isAgentElsewhere, isTrialModel } from "./create-model.ts";
export { MAX_IMAGE_BYTES } from "./hosted/shown-images.ts";
export { ModelFailed, type ModelFailure } from "./model-failed.ts";
export { providers as modelProviders } from "./providers/index.ts";
export { ReplaceableModel } from "./replaceable-model.ts";
export type { StepRequest, ToolCall } from "./step.ts";
export { ChatMessage, StepResponse, ToolResult } from "./step.ts";
export { describeTools } from "./tool-calls.ts";
