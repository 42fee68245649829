import type { TurnHook } from "../turns/index.ts";
import { scheduleRunEnded } from "./run-ended.ts";
import type { ScheduleDeps } from "./schedule-parts.ts";

/** The outcome of a scheduled turn counts for its schedule. */
export const scheduleHook = (parts: ScheduleDeps): TurnHook => ({
  onEnd: ({ message, entry }) => scheduleRunEnded(parts, message, entry?.outcome ?? "failed"),
});
