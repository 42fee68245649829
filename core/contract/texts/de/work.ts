import type * as english from "../en/work.ts";

export const activity: typeof english.activity = {
  working: (names) => `In Arbeit: ${names}`,
  worked: (names) => `Bearbeitet: ${names}`,
  using: (names) => `Werkzeuge in Benutzung: ${names}`,
  used: (names) => `Benutzt: ${names}`,
  states: {
    pending: "wartet",
    running: "in Arbeit",
    completed: "fertig",
    failed: "fehlgeschlagen",
    cancelled: "abgebrochen",
  },
  task: (number) => `Aufgabe ${number}`,
  and: "und",
};
