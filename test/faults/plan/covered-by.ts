import type { Fault } from "./fault.ts";
import type { Backbone, Step } from "./plan.ts";

const PLATFORM_ROWS = { "429": "F9", "503": "F10", "lost answer": "F11" } as const;

/** The rows of the fault matrix that a plan covers. */
export const coveredBy = (steps: readonly Step[], backbone: Backbone): ReadonlySet<string> =>
  new Set(
    steps.flatMap((step) => {
      if (step.do === "fault") return rowsOf(step.fault, backbone);
      return step.do === "say" && step.again ? ["F12"] : [];
    }),
  );

const rowsOf = (fault: Fault, backbone: Backbone): readonly string[] => {
  if (fault.on === "nats") return ["F3"];
  if (fault.on === "node") return ["F34"];
  if (fault.on === "cluster") return fault.what === "restart in turn" ? ["F34"] : ["F35"];
  if ("nth" in fault) {
    if (fault.what === "freeze") return ["F7"];
    if (fault.what === "stop") return ["F30"];
    // This process is gateway, core and store in one.
    if (backbone === "embedded") return ["F1", "F2", "F5"];
    return [fault.on === "gateway" ? "F1" : "F2"];
  }
  if (fault.on === "web") return ["F8"];
  return fault.on !== "model" && "times" in fault ? [PLATFORM_ROWS[fault.what]] : [];
};
