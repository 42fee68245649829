export {
  defineTool,
  type ToolCall,
  type ToolDefinition,
  type ToolFile,
  type ToolOutput,
} from "../core/contract/tool-definition.ts";
