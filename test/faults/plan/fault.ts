/** Processes of the product. On the embedded backbone one process has both roles. */
export type Role = "gateway" | "core";

/** kill: SIGKILL. stop: SIGTERM. freeze: SIGSTOP for a while, then SIGCONT. */
export type ProcessFault = { readonly on: Role; readonly nth: number; readonly what: "kill" | "stop" | "freeze" };
export type NatsFault = { readonly on: "nats"; readonly what: "kill"; readonly awayMs: number };

/** Leads the elections and assignments of the whole cluster, or the messages of people, or the members' records or heartbeats. */
export type Leadership = "meta" | "user_message" | "bus_members" | "bus_beats";
/** One node. kill: SIGKILL, and a restart after `awayMs`. freeze: SIGSTOP for `awayMs`; its connections stay open. */
export type NodeFault = {
  readonly on: "node";
  readonly leaderOf: Leadership;
  readonly what: "kill" | "freeze";
  readonly awayMs: number;
};
/** Two nodes, so that the quorum is lost; each in turn, as operators restart a cluster; or all at once. */
export type ClusterFault = {
  readonly on: "cluster";
  readonly what: "kill two" | "freeze two" | "restart in turn" | "kill all";
  readonly awayMs: number;
};

/** For the next `times` sends. "lost answer": the platform accepts the message, and its response is lost. */
export type PlatformFaultKind = "429" | "503" | "lost answer";
export type Platform = "slack" | "discord" | "teams" | "telegram";
export type PlatformFault = { readonly on: Platform; readonly what: PlatformFaultKind; readonly times: number };

/** drop: the connection is cut. reconnect: Discord requests a reconnect. forget: the session cannot be resumed. */
export type ConnectionFault =
  | { readonly on: "discord"; readonly what: "drop" | "reconnect" | "forget" }
  | { readonly on: "web"; readonly what: "drop" };
export type ModelFault = { readonly on: "model"; readonly what: "503" | "hang-up"; readonly times: number };

export type Fault = ProcessFault | NatsFault | NodeFault | ClusterFault | PlatformFault | ConnectionFault | ModelFault;

export const isKill = ({ what }: Fault): boolean => /^kill\b/.test(what);

/** Whether the fault aborts all work in progress of a process. */
export const isDeath = (fault: Fault): boolean => "nth" in fault && fault.what !== "freeze";

/** One line of text for output. */
export const spelled = (fault: Fault): string => {
  if (fault.on === "node") return `${fault.what} leader of ${fault.leaderOf} for ${fault.awayMs} ms`;
  if (fault.on === "cluster") return `${fault.what} nodes, ${fault.awayMs} ms each`;
  if ("nth" in fault) return `${fault.what} ${fault.on} ${fault.nth}`;
  if ("awayMs" in fault) return `${fault.what} ${fault.on} for ${fault.awayMs} ms`;
  return `${fault.on}: ${fault.what}${"times" in fault ? ` ×${fault.times}` : ""}`;
};
