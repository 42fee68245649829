import { seededRun } from "./seeded-run.ts";

/** F1, F2, F5, F9, F10, F11, F12 and F30 under load, on one process. */
seededRun(20_261_116, { backbone: "embedded", messages: 40, faults: 10, mostKills: 4 });
