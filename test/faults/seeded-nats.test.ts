import { seededRun } from "./seeded-run.ts";

/** F1, F2, F3, F7, F9, F10, F11, F12 and F30 under load, on two gateways, two cores and a nats-server. */
seededRun(20_261_117, { backbone: "nats", messages: 60, faults: 15, mostKills: 7 });
