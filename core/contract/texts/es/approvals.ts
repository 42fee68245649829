import type * as english from "../en/approvals.ts";

export const approvals: typeof english.approvals = {
  badId: "Un id tiene esta forma: `approval-1a2b3c4d5e6f`. `/approve` muestra las llamadas en espera.",
  none: "Aquí ninguna llamada espera aprobación.",
  heading: "Estas llamadas esperan aprobación. Sus argumentos están en los mensajes que la pidieron:",
  entry: (tool, state, ago, id) => `\`${tool}\` ${state}, preguntado: ${ago}: \`${id}\``,
  howToDecide: "Decide con `/approve` o `/approve deny` y el id.",
  unknown: "Aquí no hay ninguna petición así. `/approve` muestra las llamadas que esperan aprobación.",
  decided: (state) => `Ya no hay nada que decidir: ${state}.`,
  denied: (tool) => `Rechazada. No ejecuto \`${tool}\`.`,
  approved: (tool) => `Aprobada. Ejecuto \`${tool}\` exactamente con estos argumentos.`,
  notAskedForAnHour: (tool) => `Durante la próxima hora no preguntaré por \`${tool}\`.`,
  onlyOnce: "Esta llamada solo se puede aprobar una vez: usa `/approve` con su id.",
  notAllowed:
    "Gracias, pero no puedes decidir esto: hace falta el derecho de aprobar llamadas (`approve`, o `confirm` en tu propio " +
    "trabajo). Un operador puede concederlo.",
  question: (tool) => `**¿Puedo ejecutar \`${tool}\`?**`,
  inPlainWords: (description) => `En pocas palabras: ${description}`,
  noDescription: "la herramienta no tiene descripción.",
  about: (source, summary) => `${source}: «${summary}»`,
  forSchedule: "Para una tarea programada",
  forAgent: "Para otro agente",
  askedForBy: (name) => `A petición de ${name}`,
  destructive: "Esto puede destruir o cambiar datos.",
  noArguments: "No tiene argumentos.",
  theseArguments: "Se ejecuta exactamente con estos argumentos:",
  expires: (id, until) => `\`/approve ${id}\` o \`/approve deny ${id}\`; la petición caduca: ${until}.`,
  approveButton: "Aprobar",
  hourButton: "Aprobar durante una hora",
  denyButton: "Rechazar",
  states: {
    pending: "espera aprobación",
    approved: (name) => `aprobada por ${name}`,
    approvedForHour: (name) => `aprobada por ${name} durante una hora`,
    running: "en curso",
    denied: (name) => `rechazada por ${name}`,
    expired: "no se decidió a tiempo, así que no se ejecutó",
    withdrawn: "retirada, porque se canceló el trabajo",
  },
  outcomes: {
    done: "terminada",
    failed: "fallida",
    interrupted: "interrumpida, resultado desconocido",
    refused: "no ejecutada",
  },
  aPerson: "una persona",
};

export const rights: typeof english.rights = {
  refused: (what, need) =>
    `Aquí no está permitido: hace falta el derecho de ${what} (\`${need}\`). Un operador puede concederlo.`,
  useTool: (name) => `usar la herramienta ${name}`,
  abilities: {
    delegate: "delegar trabajos",
    remind: "crear recordatorios, que se ejecutan una vez",
    schedule: "crear tareas programadas que se repiten",
    remember: "guardar recuerdos duraderos",
    peers: "hacer que se pregunte a otros agentes",
    workspace: "trabajar en el repositorio del agente",
    confirm: "aprobar, en el propio trabajo, llamadas de herramientas que preguntan antes",
    approve: "aprobar llamadas de herramientas que preguntan antes",
  },
};
