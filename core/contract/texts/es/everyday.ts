import type * as english from "../en/everyday.ts";

export const help: typeof english.help = {
  introduction: "Escríbeme como a cualquier colega. También conozco estos comandos:",
  seenElsewhere:
    "Para ver mis respuestas también en tus otros canales y navegadores, escribe `/link` en uno de ellos y envíame el código en el otro.",
  newSession: "Esta es una sesión nueva: he olvidado nuestra conversación hasta ahora.",
  unknown: (name) => `No conozco el comando «${name}».`,
  didYouMean: (name) => `¿Querías decir \`/${name}\`?`,
  known: (list) => `Conozco ${list}.`,
  values: { code: "código", channel: "canal", words: "palabras", number: "número", reason: "motivo" },
};

export const status: typeof english.status = {
  none: "No estoy trabajando en nada para ti y no hay mensajes en espera.",
  heading: "En curso para ti:",
  answering: (summary, ago) => `respuesta a «${summary}», inicio: ${ago}`,
  work: (name, id, how, ago) => `${name} (\`${id}\`): ${how}, inicio: ${ago}`,
  working: "en curso",
  waitingToStart: "espera para empezar",
  approval: (tool, state, ago, id) => `\`${tool}\` ${state}, preguntado: ${ago} (\`/approve ${id}\`)`,
  held: (count, channel, until) =>
    `${count === 1 ? "1 mensaje te espera" : `${count} mensajes te esperan`} en ${channel}, ${until}`,
  until: (time) => `hasta: ${time}`,
  untilReachable: "hasta que pueda acceder al canal",
};

export const cancel: typeof english.cancel = {
  nothing: "No estoy trabajando en nada para ti.",
  nothingHere: "No estoy trabajando en nada para ti en esta conversación.",
  question: "¿Qué quieres que cancele?",
  all: "`/cancel all` lo termina todo, en todos tus canales: respuestas, trabajo y llamadas a otros agentes. Las tareas programadas se mantienen.",
  answers: (count) => `${count} ${count === 1 ? "respuesta" : "respuestas"}`,
  work: (count) => `${count} ${count === 1 ? "trabajo" : "trabajos"}`,
  calls: (count) => `${count} ${count === 1 ? "llamada a otro agente" : "llamadas a otros agentes"}`,
  ended: (list) => `He terminado: ${list}.`,
  schedulesStay: "Las tareas programadas y los recordatorios se mantienen: `/schedules` los muestra.",
  badId: "Un id tiene esta forma: `subtask-1a2b3c4d`. `/cancel` muestra lo que puedes cancelar.",
  unknown: (id) => `No hay ningún trabajo «${id}».`,
  notYours: (id) => `${id} es de otra persona: solo quien lo pidió puede hacer eso.`,
  alreadyEnded: (name, state) => `${name} ya ha terminado: ${state}.`,
  quoted: (name) => `«${name}»`,
  cancelled: (name) => `He cancelado ${name}.`,
  endedItself: (name) => `${name} acaba de terminar por sí solo.`,
  noAnswer: "Ahora mismo no estoy escribiendo ninguna respuesta para ti aquí.",
  stopped: "De acuerdo, me he detenido.",
  button: (name) => `Cancelar «${name}»`,
};

export const inbox: typeof english.inbox = {
  gone: "Este mensaje ya no está en tu bandeja. `/inbox` muestra lo que queda.",
  usage: "`/inbox` muestra tus mensajes; usa sus botones para leer, reenviar o descartar uno.",
  sending: (target) => `Lo envío otra vez, a ${target}.`,
  dismissed: "Descartado.",
  empty: "Tu bandeja está vacía: te ha llegado todo.",
  end: "Eso es todo.",
  heading: "Puede que estos mensajes no te hayan llegado:",
  entry: (excerpt, target, ago, reason) => `«${excerpt}», para ${target}, ${ago}: ${reason}`,
  more: "Ver más",
  read: (number) => `Leer ${number}`,
  again: (number) => `Reenviar ${number}`,
  dismiss: (number) => `Descartar ${number}`,
  forTarget: (target) => `Para ${target}.`,
  about: (summary) => `Sobre «${summary}».`,
  files: (names) => `Archivos que llegan al reenviarlo: ${names}`,
  privateTarget: (channel) => `tu conversación privada en ${channel}`,
  sharedTarget: (channel) => `una conversación compartida en ${channel}`,
};

export const report: typeof english.report = {
  nothing: "Aquí no hay ningún mensaje mío que denunciar. Responde al mensaje con `/report`.",
  reported: "Gracias, he denunciado mi mensaje. Los operadores ven quién lo denunció y cuándo, pero no lo que dice.",
  include: "Incluir el mensaje",
  gone: "Esta denuncia, o el mensaje, ya no está guardada.",
  included: "He añadido el mensaje a tu denuncia. Los operadores ya pueden leerlo.",
  button: "Denunciar",
};

export const feedback: typeof english.feedback = {
  unknown: "No encuentro esa respuesta, así que no he guardado tu opinión.",
  removed: "He quitado tu opinión.",
  thanks: "Gracias por tu opinión.",
};

export const links: typeof english.links = {
  none: "Aquí no hay enlaces tuyos que revocar. Caducan a las 24 horas.",
  revoked: "Los enlaces ya no funcionan.",
};

export const conversation: typeof english.conversation = {
  shared: "No puedo borrar una conversación en la que participan otras personas.",
  deleted: "He borrado nuestra conversación.",
  confirmDeletion:
    "¿Borro nuestra conversación aquí? Olvido lo que escribimos, mis notas sobre ella y sus archivos, y cancelo su " +
    "trabajo. Los mensajes que muestra tu aplicación siguen allí. No se puede deshacer. " +
    "`/delete-conversation confirm` la borra.",
  deleteIt: "Borrar",
};

export const workspace: typeof english.workspace = {
  none: "Aquí no trabajo con ningún repositorio.",
  stillWorking: (name) => `Todavía estoy trabajando en «${name}».`,
  unchanged: "No se ha cambiado nada.",
  discarded: (name) => `He descartado los cambios de «${name}».`,
  missing: (id) => `${id} no tiene espacio de trabajo: no cambió nada, o se descartó.`,
  dirty: (names) =>
    `El repositorio tiene cambios sin confirmar (${names}). Antes hay que confirmarlos, apartarlos o descartarlos.`,
  moved: (branch) =>
    `No se ha fusionado: la rama ${branch} ha cambiado desde que mostré sus cambios. Fusiónala en el repositorio o pídeme que repita el trabajo.`,
  conflicts: (files) => `No se ha fusionado: hay conflictos en ${files}. No se ha cambiado nada.`,
  notMerged: (output) => `No se ha fusionado: ${output}. No se ha cambiado nada.`,
  changed: (files, insertions, deletions) =>
    `${files} ${files === 1 ? "archivo cambiado" : "archivos cambiados"}, +${insertions} −${deletions}`,
  merged: (branch) => `Fusionado en ${branch}.`,
  alreadyMerged: "Ya está fusionado.",
  show: (name) => `Ver «${name}»`,
  merge: (name) => `Fusionar «${name}»`,
  discard: (name) => `Descartar «${name}»`,
};
