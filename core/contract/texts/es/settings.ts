import type * as english from "../en/settings.ts";

export const quiet: typeof english.quiet = {
  usage: [
    "- `/quiet 22:00-07:00`: los mensajes que envío por mi cuenta esperan hasta las 07:00. Puedes añadir una zona horaria, como Europe/Madrid",
    "- `/quiet off`: sin horas de silencio",
    "- `/quiet everywhere`: los envío a todos tus canales",
    "- `/quiet origin`: los envío solo adonde empezó el trabajo",
    "- `/quiet last-active`: los envío allí y adonde me escribiste por última vez",
    "- `/quiet origin shared`: lo mismo, solo para el trabajo que empezó en una sala. Otros tipos: private (solo contigo), " +
      "scheduled (programado), a2a-inbound (para otro agente)",
    "- `/quiet default`: volver a los valores por defecto",
  ].join("\n"),
  unclear: (text) => `No entiendo «${text}». Prueba una de estas opciones:`,
  hours: (hours) => `Horas de silencio: ${hours}.`,
  reach: (reach) => `Dónde te escribo primero: ${reach}.`,
  byDefault: (value) => `${value} (por defecto)`,
  forKind: (reach, kind) => `${reach} para el trabajo de tipo ${kind}`,
  off: "ninguna",
  inYourZone: (hours) => `${hours}, en tu zona horaria`,
};

export const timezone: typeof english.timezone = {
  usage: "`/timezone Europe/Madrid` la cambia, `/timezone auto` vuelve a seguir a tus aplicaciones.",
  notAZone: (text) => `«${text}» no es una zona horaria. Usa un nombre como Europe/Madrid.`,
  own: (zone) => `Tu zona horaria es ${zone}.`,
  reported: (zone) => `Tu zona horaria es ${zone}, según tu aplicación.`,
  unknown: (zone) => `No conozco tu zona horaria, así que uso ${zone}.`,
};

export const language: typeof english.language = {
  usage: "`/language en` o `/language de` elige otro, `/language auto` vuelve a seguir a tus aplicaciones.",
  name: "Español",
  notALanguage: (text) => `No hablo «${text}». Conozco en (English), de (Deutsch) y es (Español).`,
  own: (name) => `Escribo mis avisos en este idioma: ${name}.`,
  reported: (name) => `Escribo mis avisos en este idioma, según tu aplicación: ${name}.`,
  unknown: (name) => `No conozco tu idioma, así que escribo mis avisos en este: ${name}.`,
};

export const memory: typeof english.memory = {
  none: "Aquí no hay memoria.",
  usage:
    "`/memory` muestra lo que recuerdo. `/memory find <words>` busca en ello, `/memory forget <number>` borra una entrada, " +
    "y `/memory forget all` las borra todas.",
  person: {
    nothingYet: "Aún no recuerdo nada sobre ti. Solo tienes que decírmelo, por ejemplo: «recuerda que me gusta el té».",
    nothing: "No recuerdo nada sobre ti.",
    noMatch: "No recuerdo nada sobre ti que encaje con esas palabras.",
    heading: (count) => `Recuerdo ${count} ${count === 1 ? "cosa" : "cosas"} sobre ti`,
    eraseAll: (count) =>
      count === 1 ? "¿Borro la única cosa que recuerdo sobre ti?" : `¿Borro las ${count} cosas que recuerdo sobre ti?`,
  },
  room: {
    nothingYet:
      "Aún no recuerdo nada de esta sala. Solo tienes que decírmelo, por ejemplo: «recuerda que me gusta el té».",
    nothing: "No recuerdo nada de esta sala.",
    noMatch: "No recuerdo nada de esta sala que encaje con esas palabras.",
    heading: (count) => `Recuerdo ${count} ${count === 1 ? "cosa" : "cosas"} de esta sala`,
    eraseAll: (count) =>
      `${
        count === 1
          ? "¿Borro la única cosa que recuerdo de esta sala?"
          : `¿Borro las ${count} cosas que recuerdo de esta sala?`
      } Solo las que tú pediste, salvo que seas operador.`,
  },
  some: ", aquí tienes algunas",
  howToForget: "`/memory forget <number>` borra una entrada, `/memory forget all` las borra todas.",
  older: "Ver más antiguas",
  best: "Lo que mejor encaja, primero:",
  forgetButton: (text) => `Olvidar «${text}»`,
  noEntry: "No recuerdo esa entrada. `/memory` muestra los números.",
  which: "¿Cuál?",
  notYours: "Solo puede borrarlo quien me pidió recordarlo, o un operador.",
  forgotten: (text) => `Olvidado: ${text}`,
  cannotUndo: "No se puede deshacer. `/memory forget all confirm` lo borra todo.",
  eraseAllButton: "Borrar todo",
  forgot: (count) => (count === 0 ? "No he olvidado nada." : `He olvidado ${count} ${count === 1 ? "cosa" : "cosas"}.`),
  othersStay: (count) =>
    count === 1 ? "Se mantiene 1 cosa de otras personas." : `Se mantienen ${count} cosas de otras personas.`,
};

export const budget: typeof english.budget = {
  unlimited: "Hoy nada limita lo que puedo usar para ti.",
  usage: "`/budget` muestra lo que queda. `/budget continue` sigue después de que te pregunte.",
  lifted: "Sigo por hoy, hasta el límite. Envía tu mensaje otra vez, por favor.",
  notYours: "Solo puede elegirlo la persona de quien es el presupuesto, o un operador.",
  heading: "Usado hoy:",
  sharedUsedUp: "El presupuesto que comparten todas las personas está agotado.",
  allAssistants: " con todos los asistentes juntos",
  left: (percent) => `queda el ${percent} %`,
  asksAt: (percent) => `pregunto al ${percent} %`,
  continueButton: "Seguir",
  numbers: "es",
  use: (used, limit, resource) => `${used} de ${limit} ${resource}`,
  resources: {
    turns: "respuestas",
    tokens: "tokens",
    cost: "de coste",
    subtasks: "trabajos",
    bytes: "bytes guardados",
  },
  renewal: (left) => `Se renueva a las 00:00 UTC, dentro de ${left}.`,
  minutes: (minutes) => `${minutes} min`,
  hours: (hours, minutes) => `${hours} h ${minutes} min`,
  ownBackground:
    "El trabajo en segundo plano ha usado su parte de tu presupuesto de hoy; el resto se reserva para mensajes de personas.",
  sharedBackground:
    "El trabajo en segundo plano ha usado su parte del presupuesto de hoy de este asistente; el resto se reserva para mensajes de personas.",
  assistantUsedUp: "El presupuesto de hoy de este asistente está agotado.",
  operatorCanRaise: "El operador de este servicio puede ampliarlo.",
  usedUp: (use) => `Tu presupuesto de hoy está agotado (${use}).`,
  showsWhatIsLeft: "`/budget` muestra lo que queda.",
  softOwn: (percent, use) =>
    `Has llegado al ${percent} % de tu presupuesto de hoy (${use}). ¿Quieres seguir? Elige «Seguir» o envía ` +
    "`/budget continue`, y después tu mensaje otra vez.",
  softShared: (percent) =>
    `Este asistente ha llegado al ${percent} % de su presupuesto de hoy. Un operador puede dejarlo seguir.`,
  warning: (percent, use) => `Has usado el ${percent} % de tu presupuesto de hoy (${use}).`,
  waitsOwn: (limit) =>
    `Trabajo como máximo en ${limit} de tus mensajes a la vez. Este espera en la cola; responderé en cuanto pueda.`,
  waitsShared:
    "Estoy trabajando en tantos mensajes como puedo a la vez. El tuyo espera en la cola; responderé en cuanto pueda.",
};
