export { AgentConnections, agentToCheck } from "./agent-connections.ts";
export { agentAnswerTurns, startAgentTasks } from "./background-task.ts";
export { cancelAbandonedTask } from "./cancel-abandoned-task.ts";
