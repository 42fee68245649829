import type * as english from "../en/schedules.ts";

export const schedules: typeof english.schedules = {
  none: "Aún no tienes tareas programadas. Solo tienes que pedírmelo, por ejemplo: «envíame las noticias cada día laborable a las 9».",
  heading: "Tus tareas programadas:",
  usage:
    "`/schedules` muestra tus tareas programadas. Para cambiar una: `/schedules run <id>`, `/schedules cancel <id>` o `/schedules resume <id>`.",
  cancelButton: (description) => `Cancelar «${description}»`,
  resumeButton: (description) => `Reanudar «${description}»`,
  running: (description) => `Ejecuto «${description}» ahora.`,
  resumed: (description) => `«${description}» vuelve a estar activa.`,
  cancelled: (description) => `He cancelado «${description}».`,
  unknown: (id) => `No tienes ninguna tarea programada «${id}». \`/schedules\` muestra las tuyas.`,
  noMoreRuns: "Esta tarea programada ya no se repite. Pídeme una nueva.",
  entry: (description, id, rhythm) => `«${description}» (${id}): ${rhythm}`,
  paused: ", en pausa",
  failures: (count) => (count === 1 ? ", ha fallado una vez" : `, ha fallado ${count} veces seguidas`),
  failing: (description, count) =>
    `La tarea programada «${description}» ha fallado ${count} veces seguidas. Seguiré intentándolo, con menos frecuencia.`,
  failedAndPaused: (description, count, id) =>
    `La tarea programada «${description}» ha fallado ${count} veces seguidas y está en pausa. Reanúdala con \`/schedules resume ${id}\`.`,
  pausedBecause: (description, reason, id) =>
    `He puesto en pausa la tarea programada «${description}»: ${reason}. Reanúdala con \`/schedules resume ${id}\`.`,
  notAllowed: "quien la creó ya no puede crear tareas así",
  away: (days) => `quien la creó no me ha escrito desde hace ${days} días`,
  couldNotRun: (description, prompt) => `No he podido ejecutar «${description}». Era: ${prompt}`,
  skipped: (description) => `La tarea programada «${description}» se omite hasta que se renueve el presupuesto.`,
  cancelWith: (id) => `Para cancelar la tarea programada, usa \`/schedules cancel ${id}\`.`,
};

export const rhythm: typeof english.rhythm = {
  once: (moment, zone) => `una vez, ${moment} ${zone}`,
  next: (rhythm, moment) => `${rhythm}, próxima vez: ${moment}`,
  every: {
    week: (count) => (count === 1 ? "cada semana" : `cada ${count} semanas`),
    day: (count) => (count === 1 ? "cada día" : `cada ${count} días`),
    hour: (count) => (count === 1 ? "cada hora" : `cada ${count} horas`),
    minute: (count) => (count === 1 ? "cada minuto" : `cada ${count} minutos`),
    second: (count) => (count === 1 ? "cada segundo" : `cada ${count} segundos`),
  },
  at: (days, time, zone) => `${days} a las ${time} ${zone}`,
  minuteOfHour: (minute) => `cada hora, en el minuto ${minute}`,
  cron: (expression, zone) => `según la expresión cron «${expression}» en ${zone}`,
  weekday: "cada día laborable",
  on: (day) => `cada ${day}`,
  days: ["domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"],
  dayOfMonth: (day) => `el día ${day} de cada mes`,
};
