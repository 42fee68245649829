import type * as english from "../en/agents.ts";

const AGAIN = "Envía tu mensaje otra vez en unos minutos, por favor.";
const OPERATOR = "Avisa al operador de este servicio; enviarlo otra vez no servirá.";
const TIMED_OUT =
  "El agente que responde aquí no ha terminado a tiempo, así que he cancelado su tarea. Prueba a pedirlo en pasos más pequeños.";

export const agents: typeof english.agents = {
  asking: (peer) => `Consulta a ${peer}`,
  askingAbout: (peer, about) => `Consulta a ${peer}: ${about}`,
  failures: {
    timedOut: TIMED_OUT,
    credentials: `El agente que responde aquí no acepta mis credenciales. ${OPERATOR}`,
    tooLong: "La respuesta del agente es demasiado larga para pasártela. Prueba a pedir una parte.",
    unreachable: `Ahora mismo no puedo conectar con el agente que responde aquí. ${AGAIN}`,
    notHandled: `El agente que responde aquí no ha podido procesar tu mensaje. ${OPERATOR}`,
    misconfigured: `No puedo conectar con el agente que responde aquí. ${OPERATOR}`,
    unreadable: `El agente que responde aquí ha enviado algo que no he podido leer. ${OPERATOR}`,
    circle: "No he pasado esto, porque los agentes que trabajan en ello se lo enviaban en círculo.",
  },
  stillWorking:
    "El agente que responde aquí sigue trabajando en esto. Mientras tanto puedes escribir otra cosa; su respuesta llegará aquí.",
  ends: {
    timedOut: () => TIMED_OUT,
    gone: () => "El agente que responde aquí ya no tiene esta tarea, así que no hay respuesta. Pregunta otra vez.",
    unreachable: () =>
      "No se ha podido conectar a tiempo con el agente que trabaja en esto, así que no hay respuesta. Pregunta otra vez.",
    noAnswer: () => "_El agente ha terminado sin texto._",
    noQuestion: () => "_El agente espera tu respuesta._",
    failed: (reason) => `El agente que responde aquí no ha podido terminar esto${reason}`,
    cancelled: (reason) => `El agente que responde aquí ha cancelado esta tarea${reason}`,
    rejected: (reason) => `El agente que responde aquí ha rechazado esto${reason}`,
    "sign-in": (reason) => `El agente que responde aquí pide iniciar sesión, y eso no es posible en este chat${reason}`,
  },
};
