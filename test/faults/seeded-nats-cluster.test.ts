import { execFileSync } from "node:child_process";
import { mayStoreConflicts } from "../../core/backbone/index.ts";
import { clusterPlan } from "./plan/cluster-plan.ts";
import { seededRun } from "./seeded-run.ts";

const SEED = 20_261_134;

const [version = ""] = /\d+\.\d+\.\d+/.exec(execFileSync("nats-server", ["--version"], { encoding: "utf8" })) ?? [];

/** Under load, on three nodes, a gateway and two cores; `npm run soak` has the faults that take longer, F35 among them. */
seededRun({
  seed: SEED,
  tries: ["F2", "F12", "F34"],
  backbone: "nats-cluster",
  // Such a server can confirm two conflicting writes, and then an answer is lost.
  canBeRight: !mayStoreConflicts(version) || process.env.MOORING_SOAK !== undefined,
  steps: clusterPlan(SEED, 40, [
    { on: "node", leaderOf: "user_message", what: "freeze", awayMs: 4_000 },
    { on: "core", nth: 0, what: "kill" },
    { on: "node", leaderOf: "bus_members", what: "kill", awayMs: 1_000 },
  ]),
});
