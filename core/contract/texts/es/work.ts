import type * as english from "../en/work.ts";

export const activity: typeof english.activity = {
  working: (names) => `Trabajando en: ${names}`,
  worked: (names) => `He trabajado en: ${names}`,
  using: (names) => `Usando: ${names}`,
  used: (names) => `He usado: ${names}`,
  states: {
    pending: "en espera",
    running: "en curso",
    completed: "terminado",
    failed: "fallido",
    cancelled: "cancelado",
  },
  task: (number) => `Trabajo ${number}`,
  and: "y",
};
