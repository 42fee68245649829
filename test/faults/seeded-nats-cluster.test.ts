import { execFileSync } from "node:child_process";
import { mayStoreConflicts } from "../../core/backbone/index.ts";
import { NATS_SERVER } from "../fakes/nats-server.ts";
import { clusterPlan } from "./plan/cluster-plan.ts";
import { seededRun } from "./seeded-run.ts";

const SEED = 20_261_134;

const [version = ""] = /\d+\.\d+\.\d+/.exec(execFileSync(NATS_SERVER, ["--version"], { encoding: "utf8" })) ?? [];

/** Faults under load, on three nodes, a gateway and two cores; `npm run soak` has the longer faults, such as F35. */
seededRun({
  seed: SEED,
  tries: ["F2", "F12", "F34"],
  backbone: "nats-cluster",
  // Such a server may confirm two conflicting writes, which loses an answer.
  canBeRight: !mayStoreConflicts(version) || process.env.MOORING_SOAK !== undefined,
  steps: clusterPlan(SEED, 40, [
    { on: "node", leaderOf: "user_message", what: "freeze", awayMs: 4_000 },
    { on: "core", nth: 0, what: "kill" },
    { on: "node", leaderOf: "bus_members", what: "kill", awayMs: 1_000 },
    // Longer than a lease: no process may declare another one dead while no beat is stored.
    { on: "node", leaderOf: "bus_beats", what: "freeze", awayMs: 4_000 },
  ]),
});
