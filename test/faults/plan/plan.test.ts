import { describe, expect, it } from "vitest";
import { isKill, spelled } from "./fault.ts";
import type { Step } from "./plan.ts";
import { planOf } from "./plan.ts";

const OPTIONS = { backbone: "nats", messages: 90, faults: 30, mostKills: 5 } as const;
const faultsIn = (steps: readonly Step[]) => steps.flatMap((step) => (step.do === "fault" ? step.fault : []));

describe("given a seed", () => {
  it("then it always gives the same plan, and another seed gives another plan", () => {
    expect(planOf(7, OPTIONS)).toEqual(planOf(7, OPTIONS));
    expect(planOf(8, OPTIONS)).not.toEqual(planOf(7, OPTIONS));
  });

  it("then the plan has the requested size, with a message before and after each fault", () => {
    const steps = planOf(7, OPTIONS);
    expect(steps.filter((step) => step.do === "say")).toHaveLength(90);
    expect(faultsIn(steps)).toHaveLength(30);
    const isFault = steps.map((step) => step.do === "fault");
    expect(isFault.some((one, index) => one && (isFault[index - 1] ?? true))).toBe(false);
    expect(isFault.at(-1)).toBe(false);
  });

  it("then the number of kills is limited, and many seeds cover every kind of fault", () => {
    const plans = Array.from({ length: 60 }, (_, seed) => faultsIn(planOf(seed, OPTIONS)));
    expect(Math.max(...plans.map((faults) => faults.filter(isKill).length))).toBe(5);
    const kinds = new Set(plans.flat().map((fault) => spelled(fault).replaceAll(/\d+ ms|×\d/g, "n")));
    for (const kind of [
      "kill gateway 0",
      "kill core 1",
      "freeze core 0",
      "stop gateway 1",
      "kill nats for n",
      "web: drop",
    ]) {
      expect(kinds).toContain(kind);
    }
    for (const platform of ["slack", "discord", "teams"]) {
      for (const what of ["429 n", "503 n", "lost answer n"]) expect(kinds).toContain(`${platform}: ${what}`);
    }
  });

  it("when there is only one process, then only that one has faults", () => {
    const faults = faultsIn(planOf(7, { ...OPTIONS, backbone: "embedded" }));
    expect(faults.map(({ on }) => on)).not.toContain("core");
    expect(faults.map(({ on }) => on)).not.toContain("nats");
  });
});
