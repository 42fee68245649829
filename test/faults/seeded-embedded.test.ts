import { seededRun } from "./seeded-run.ts";

/** Under load, on one process. */
seededRun({
  seed: 20_261_248,
  tries: ["F1", "F2", "F5", "F8", "F9", "F10", "F11", "F12", "F30"],
  backbone: "embedded",
  messages: 40,
  faults: 10,
  mostKills: 4,
});
