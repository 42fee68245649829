import type { menu as english } from "../en/menu.ts";

export const menu: typeof english = {
  help: { menu: "Ver los comandos", summary: "mostrar esta lista" },
  new: {
    menu: "Empezar una sesión nueva; el trabajo en curso continúa",
    summary: "empezar de nuevo: olvido nuestra conversación, el trabajo en curso continúa",
  },
  why: {
    menu: "Por qué envié un mensaje y de qué trabajo vino",
    argument: "Su enlace o su id; vacío: el último",
    summary: "por qué te escribí por mi cuenta: el último mensaje, o aquel al que respondes",
  },
  status: {
    menu: "Ver el trabajo en curso y los mensajes en espera",
    summary: "en qué estoy trabajando para ti y qué mensajes esperan",
  },
  cancel: {
    menu: "Cancelar trabajo en curso",
    argument: "El id que muestra status, answer o all",
    summary:
      "cancelar trabajo; `/cancel answer` detiene la respuesta que escribo, `/cancel all` termina todo lo que hago ahora para ti, salvo las tareas programadas",
  },
  approve: {
    menu: "Aprobar o rechazar llamadas que te esperan",
    argument: "El id, o deny y el id; vacío: la lista",
    summary: "las llamadas que esperan aprobación; `/approve <id>` ejecuta una, `/approve deny <id>` la rechaza",
  },
  inbox: {
    menu: "Mensajes que quizá no te llegaron",
    argument: "Déjalo vacío para verlos",
    summary: "mensajes que quizá no te llegaron: léelos, reenvíalos o descártalos",
  },
  schedules: {
    menu: "Ver, ejecutar, cancelar o reanudar tus tareas programadas",
    argument: "run, cancel o resume, y el id",
    summary: "ver tus tareas programadas, ejecutar una ahora, cancelarla o reanudarla",
  },
  memory: {
    menu: "Ver o borrar lo que recuerdo",
    argument: "find y palabras, o forget y un número o all",
    summary: "ver, buscar o borrar lo que recuerdo: sobre ti en privado, sobre una sala en la sala",
  },
  budget: {
    menu: "Ver tu presupuesto de hoy",
    argument: "continue, para seguir cuando te lo pregunte",
    summary: "lo que queda de tu presupuesto de hoy; `/budget continue` sigue después de que te pregunte",
  },
  quiet: {
    menu: "Horas de silencio, y dónde puedo escribirte primero",
    argument: "Por ejemplo 22:00-07:00, u off",
    summary: "cuándo y dónde puedo escribirte primero; `/quiet` solo muestra las opciones",
  },
  timezone: {
    menu: "Tu zona horaria",
    argument: "Por ejemplo Europe/Madrid, o auto",
    summary: "tu zona horaria, para recordatorios y horas de silencio",
  },
  language: {
    menu: "El idioma de mis avisos y fechas",
    argument: "en, de, es o auto",
    summary: "el idioma de mis avisos, comandos y fechas",
  },
  link: {
    menu: "Vincular esta cuenta con la tuya en otro canal",
    argument: "El código de tu otro canal o navegador",
    summary: "vincular esta cuenta con la tuya en otro canal o navegador, para que las respuestas te lleguen a ambas",
  },
  unlink: {
    menu: "Deshacer un vínculo",
    argument: "El canal de la otra cuenta",
    summary: "desvincular esta cuenta, o la tuya en otro canal",
  },
  report: {
    menu: "Denunciar mi último mensaje a los operadores",
    argument: "Qué problema tiene",
    summary: "denunciar a los operadores un mensaje mío: el último, o aquel al que respondes",
  },
};
