import type { CoreParts } from "../turns/index.ts";
import type { DueIndex } from "./due-index.ts";

export interface ScheduleDeps extends Pick<CoreParts, "bus" | "store" | "clock" | "logger" | "meter" | "checkpoint"> {
  readonly dueTimes: DueIndex;
}
