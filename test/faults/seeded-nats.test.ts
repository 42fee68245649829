import { planOf } from "./plan/plan.ts";
import { seededRun } from "./seeded-run.ts";

const SEED = 20_261_117;

/** Faults under load, on two gateways, two cores and a nats-server. */
seededRun({
  seed: SEED,
  tries: ["F1", "F2", "F3", "F7", "F8", "F9", "F10", "F11", "F12", "F30"],
  backbone: "nats",
  steps: planOf(SEED, { backbone: "nats", messages: 60, faults: 15, mostKills: 7 }),
});
