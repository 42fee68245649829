import { seededRun } from "./seeded-run.ts";

/** Under load, on two gateways, two cores and a nats-server. */
seededRun({
  seed: 20_261_117,
  tries: ["F1", "F2", "F3", "F7", "F8", "F9", "F10", "F11", "F12", "F30"],
  backbone: "nats",
  messages: 60,
  faults: 15,
  mostKills: 7,
});
