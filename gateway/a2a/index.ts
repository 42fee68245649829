export { startA2a } from "./load-a2a.ts";
export { peerEventRoute } from "./peer-event-route.ts";
export type { RunningA2a } from "./start-a2a.ts";
