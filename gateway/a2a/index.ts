import type { A2aDeps, RunningA2a } from "./start-a2a.ts";

export { peerEventRoute } from "./http/peer-event-route.ts";
export type { RunningA2a } from "./start-a2a.ts";

/** Loads the protocol's SDK lazily, because a gateway without callers does not need it. */
export const startA2a = async (deps: A2aDeps): Promise<RunningA2a> => {
  const loaded = await import("./start-a2a.ts");
  return loaded.startA2a(deps);
};
