import type * as english from "../en/failures.ts";

export const failures: typeof english.failures = {
  "rate-limited": "Ahora mismo tengo demasiado que hacer. Envía tu mensaje otra vez dentro de un minuto.",
  timeout: "No he terminado mi respuesta a tiempo. Envía tu mensaje otra vez.",
  unreachable:
    "Ahora mismo no puedo acceder a mi modelo de lenguaje. Envía tu mensaje otra vez dentro de unos minutos.",
  credentials:
    "Mi modelo de lenguaje no acepta mis credenciales. Avisa al operador de este servicio; enviarlo otra vez no servirá.",
  "context-too-long":
    "Esta conversación o tu mensaje es demasiado largo para mí. Empieza una sesión nueva con `/new`, o envía algo más corto.",
  overloaded: "Mi modelo de lenguaje está sobrecargado. Envía tu mensaje otra vez dentro de unos minutos.",
  "bad-answer": "Mi modelo de lenguaje me ha dado una respuesta que no puedo usar. Envía tu mensaje otra vez.",
  refused: "Mi modelo de lenguaje no ha querido responder a esto. Prueba con otras palabras.",
  cancelled: "Se canceló antes de que pudiera responder.",
  "turn-timeout": "Esto ha tardado más de lo que puedo dedicar a un mensaje. Pídelo en pasos más pequeños.",
  "no-answer": "He usado todos los pasos que tengo para un mensaje y no he encontrado respuesta. Pide solo una parte.",
  budget: "El presupuesto de hoy está agotado. `/budget` muestra cuándo se renueva.",
  internal: "Algo ha salido mal y no he podido responder a tu mensaje. El operador de este servicio puede revisarlo.",
};

export const turns: typeof english.turns = {
  rawResults: "No he podido resumir estos resultados, así que aquí están tal cual.",
  stopped: "_Detenido._",
  notRunAgain: (tools) => `_No se ha repetido, vale el resultado anterior: ${tools}._`,
  runAgain: (tools) => `_Ejecutado otra vez para esta versión: ${tools}._`,
  cannotRevise:
    "Ya no puedo sustituir ese mensaje: es demasiado antiguo o pertenece a una sesión anterior. Envíalo como uno nuevo.",
};

export const delivery: typeof english.delivery = {
  failures: {
    unknown: "puede que haya llegado o puede que no",
    "target-gone": "la conversación ya no existe",
    forbidden: "no tengo permiso para escribir allí",
    rejected: "la plataforma lo ha rechazado",
    unavailable: "no se ha podido acceder a la plataforma",
    "rate-limited": "la plataforma limita cuánto envío",
  },
  reasons: {
    "not-yours": "la cuenta de allí ya no es tuya",
    "no-channel": "ese canal ya no existe",
    "not-met": "la persona aún no me ha escrito en privado",
    "no-access": "ya no tengo acceso allí",
  },
  instead: {
    here: "Lo envío aquí en su lugar.",
    elsewhere: "Lo envío a otra conversación tuya en su lugar.",
    inbox: "Lo encuentras con `/inbox`.",
  },
  undeliverable: (result, where, why) =>
    `El resultado de ${result} no se ha podido entregar${where === undefined ? "" : ` en ${where}`}: ${why}.`,
  schedule: (title) => `la tarea programada «${title}»`,
  forAgent: (title) => `«${title}», que pidió otro agente,`,
  someonesSchedule: (id) => `la tarea programada de una persona${id === undefined ? "" : ` (${id})`}`,
  workForAgent: "un trabajo para otro agente",
  inDeadLetters: "Si se envió, el operador de este servicio puede encontrarlo entre los mensajes no entregados.",
};
