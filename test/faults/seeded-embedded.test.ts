import { planOf } from "./plan/plan.ts";
import { seededRun } from "./seeded-run.ts";

const SEED = 20_261_248;

/** Faults under load, on one process. */
seededRun({
  seed: SEED,
  tries: ["F1", "F2", "F5", "F8", "F9", "F10", "F11", "F12", "F30"],
  backbone: "embedded",
  steps: planOf(SEED, { backbone: "embedded", messages: 40, faults: 10, mostKills: 4 }),
});
