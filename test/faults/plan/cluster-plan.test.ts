import { describe, expect, it } from "vitest";
import { CLUSTER_ROUNDS, clusterChapter, clusterPlan } from "./cluster-plan.ts";
import { coveredBy } from "./covered-by.ts";
import { spelled } from "./fault.ts";

const rounds = Array.from({ length: CLUSTER_ROUNDS }, (_, index) => index + 1);

describe("given the long run on a cluster of three", () => {
  it("then its rounds inject F1, F2, F34 and F35: every fault that a cluster must survive", () => {
    const plans = rounds.map((round) => clusterPlan(round, 20, clusterChapter(round)));
    const tried = plans.flatMap((steps) => [...coveredBy(steps, "nats-cluster")]);
    expect(tried).toEqual(expect.arrayContaining(["F1", "F2", "F34", "F35"]));
    expect(rounds.flatMap(clusterChapter).map(spelled)).toEqual(
      expect.arrayContaining([
        "kill leader of user_message for 3000 ms",
        "kill leader of meta for 3000 ms",
        "freeze leader of user_message for 20000 ms",
        "kill leader of bus_beats for 3000 ms",
        "freeze leader of bus_beats for 20000 ms",
        "kill two nodes, 15000 ms each",
        "freeze two nodes, 15000 ms each",
        "restart in turn nodes, 0 ms each",
        "kill all nodes, 1000 ms each",
        "kill core 0",
        "kill core 1",
        "kill gateway 0",
      ]),
    );
  });

  it("when the rounds continue, then the faults repeat in the same order", () => {
    expect(clusterChapter(CLUSTER_ROUNDS + 2)).toBe(clusterChapter(2));
  });

  it("then the same seed gives the same messages, with faults between them and a pause after each", () => {
    const steps = clusterPlan(7, 30, clusterChapter(1));
    expect(steps).toEqual(clusterPlan(7, 30, clusterChapter(1)));
    expect(steps).not.toEqual(clusterPlan(8, 30, clusterChapter(1)));
    expect(steps.filter((step) => step.do === "say")).toHaveLength(30);
    expect(steps.flatMap((step) => (step.do === "fault" ? [step.fault] : []))).toEqual(clusterChapter(1));
    expect([steps[0]?.do, steps[1]?.do, steps.at(-1)?.do]).toEqual(["say", "rest", "rest"]);
  });
});
