/** Processes of the product. On the embedded backbone there is one, which is both. */
export type Role = "gateway" | "core";

/** kill: -9. stop: as an operator does. freeze: it stands still for a while, and then goes on as if nothing had been. */
export type ProcessFault = { readonly on: Role; readonly nth: number; readonly what: "kill" | "stop" | "freeze" };
export type NatsFault = { readonly on: "nats"; readonly what: "kill"; readonly awayMs: number };

/** For the next `times` sends. "lost answer": the platform takes it, and its answer is cut off. */
export type PlatformTrouble = "429" | "503" | "lost answer";
export type Platform = "slack" | "discord" | "teams";
export type PlatformFault = { readonly on: Platform; readonly what: PlatformTrouble; readonly times: number };

/** drop: without a word. reconnect: as Discord asks for. forget: the session cannot be resumed. */
export type ConnectionFault =
  | { readonly on: "discord"; readonly what: "drop" | "reconnect" | "forget" }
  | { readonly on: "web"; readonly what: "drop" };
export type ModelFault = { readonly on: "model"; readonly what: "503" | "hang-up"; readonly times: number };

export type Fault = ProcessFault | NatsFault | PlatformFault | ConnectionFault | ModelFault;

export const isKill = ({ what }: Fault): boolean => what === "kill";

/** It takes everything with it that is under way in a process. */
export const isDeath = (fault: Fault): boolean => "nth" in fault && fault.what !== "freeze";

/** One line, as it is printed and repeated. */
export const spelled = (fault: Fault): string => {
  if ("nth" in fault) return `${fault.what} ${fault.on} ${fault.nth}`;
  if ("awayMs" in fault) return `${fault.what} ${fault.on} for ${fault.awayMs} ms`;
  return `${fault.on}: ${fault.what}${"times" in fault ? ` ×${fault.times}` : ""}`;
};
