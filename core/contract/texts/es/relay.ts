import type * as english from "../en/relay.ts";

export const anchors: typeof english.anchors = {
  started: "iniciado",
  from: "en",
  askedFor: "pedido",
  scheduled: "programado",
  at: "a las",
  jump: "ir",
};

export const digests: typeof english.digests = {
  waited: (count) => `**Te esperaban ${count} mensajes.**`,
  whyNumber: (number) => `¿Por qué ${number}?`,
};

export const takeovers: typeof english.takeovers = {
  started: (operator, agent, minutes) =>
    `${operator}, del equipo de este servicio, responde ahora aquí y puede leer esta conversación. ${agent} queda en pausa ` +
    `${minutes} ${minutes === 1 ? "minuto" : "minutos"} como máximo.`,
  ended: (operator, agent) => `${operator} ya no responde aquí. ${agent} vuelve a responder.`,
};

export const placeholders: typeof english.placeholders = {
  onlyForYou: "La respuesta es solo para ti. Envíame un mensaje directo y pregúntame allí, por favor.",
  nothingMore: "No hay nada que decir sobre esto.",
};
