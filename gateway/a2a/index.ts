export { peerEventRoute } from "./http/peer-event-route.ts";
export { startA2a } from "./load-a2a.ts";
export type { RunningA2a } from "./start-a2a.ts";
