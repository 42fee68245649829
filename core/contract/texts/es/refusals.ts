import type * as english from "../en/refusals.ts";

export const refusals: typeof english.refusals = {
  notListed: "esta cuenta no puede hablar con el agente aquí: pide acceso a su operador",
  notTheOwner:
    "este asistente solo atiende a su dueño, así que no puedo responderte aquí. Si es tuyo, añade esta cuenta a owner en su " +
    "configuración",
  roomNotListed: "el agente no escucha en esta sala: pide a su operador que la añada",
  tooManyMessages: (limit) => `más de ${limit} mensajes en un minuto: espera un poco`,
  blocked:
    "esta cuenta está bloqueada, así que no puedo responderte aquí. Si crees que es un error, contacta con el operador de " +
    "este servicio",
  overloaded: "hay demasiados mensajes esperando respuesta: envía este otra vez en unos minutos",
  notAllowed: "este agente no puede hablar contigo aquí: pide acceso a su operador",
  onlyInGroups: (accountId) => `Solo hablo en grupos. Para pedir acceso a mi operador, indica tu id: ${accountId}`,
  overBudget: (why) => `el archivo no cabe en el presupuesto. ${why}`,
  cannotAccept: (why) => `No puedo aceptar esto: ${why}.`,
};

export const intake: typeof english.intake = {
  tryAgain: "No he podido guardar esto ahora mismo. Inténtalo otra vez en un momento.",
  restarting: "Me estoy reiniciando. Inténtalo otra vez en un momento.",
  unsupported: "No admito esto. Usa un comando en su lugar.",
  hiddenChannel: "No puedo ver este canal. Dame acceso primero.",
  oldButton: "Este botón es demasiado antiguo. Usa un comando en su lugar.",
  oldButtonType: "Este botón es demasiado antiguo. Escribe el comando en su lugar.",
  otherWorkspace: "Solo hablo con miembros de mi propio espacio de trabajo. Pide acceso a mi operador.",
  unknownWorkspace:
    "Solo hablo con miembros de mi propio espacio de trabajo, y Slack no me ha dicho cuál es el tuyo. Inténtalo otra vez en un minuto.",
};

export const moderation: typeof english.moderation = {
  refused: {
    message: "No puedo responder a este mensaje.",
    answer: "He escrito una respuesta, pero se ha retenido.",
  },
  unchecked: {
    message:
      "No he podido comprobar este mensaje, así que no lo he leído. Envíalo otra vez en unos minutos, por favor.",
    answer:
      "He escrito una respuesta, pero no se ha podido comprobar y se ha retenido. Pregunta otra vez en unos minutos, por favor.",
  },
};
