import type * as english from "../en/schedules.ts";

export const schedules: typeof english.schedules = {
  none: "Du hast noch keine Zeitpläne. Frag mich einfach, zum Beispiel: „Schick mir jeden Werktag um 9 die Nachrichten“.",
  heading: "Deine Zeitpläne:",
  usage:
    "`/schedules` listet deine Zeitpläne auf. So änderst du einen: `/schedules run <id>`, `/schedules cancel <id>` oder `/schedules resume <id>`.",
  cancelButton: (description) => `„${description}“ abbrechen`,
  resumeButton: (description) => `„${description}“ fortsetzen`,
  running: (description) => `Ich führe „${description}“ jetzt aus.`,
  resumed: (description) => `„${description}“ ist wieder aktiv.`,
  cancelled: (description) => `„${description}“ ist abgebrochen.`,
  unknown: (id) => `Du hast keinen Zeitplan „${id}“. \`/schedules\` listet deine auf.`,
  noMoreRuns: "Dieser Zeitplan läuft nicht mehr. Bitte mich um einen neuen.",
  entry: (description, id, rhythm) => `„${description}“ (${id}): ${rhythm}`,
  paused: ", pausiert",
  failures: (count) => (count === 1 ? ", einmal fehlgeschlagen" : `, ${count}-mal in Folge fehlgeschlagen`),
  failing: (description, count) =>
    `Der Zeitplan „${description}“ ist ${count}-mal in Folge fehlgeschlagen. Ich versuche es weiter, nur seltener.`,
  failedAndPaused: (description, count, id) =>
    `Der Zeitplan „${description}“ ist ${count}-mal in Folge fehlgeschlagen und pausiert jetzt. Setz ihn mit \`/schedules resume ${id}\` fort.`,
  pausedBecause: (description, reason, id) =>
    `Ich habe den Zeitplan „${description}“ pausiert: ${reason}. Setz ihn mit \`/schedules resume ${id}\` fort.`,
  notAllowed: "Wer ihn angelegt hat, darf solche Zeitpläne nicht mehr anlegen",
  away: (days) => `Wer ihn angelegt hat, hat mir seit ${days} Tagen nicht geschrieben`,
  couldNotRun: (description, prompt) => `„${description}“ konnte ich nicht ausführen. Es ging um: ${prompt}`,
  skipped: (description) => `Der Zeitplan „${description}“ wird ausgelassen, bis sich das Budget erneuert.`,
  cancelWith: (id) => `Mit \`/schedules cancel ${id}\` brichst du den Zeitplan ab.`,
};

export const rhythm: typeof english.rhythm = {
  once: (moment, zone) => `einmal, ${moment} ${zone}`,
  next: (rhythm, moment) => `${rhythm}, nächstes Mal: ${moment}`,
  every: {
    week: (count) => (count === 1 ? "jede Woche" : `alle ${count} Wochen`),
    day: (count) => (count === 1 ? "jeden Tag" : `alle ${count} Tage`),
    hour: (count) => (count === 1 ? "jede Stunde" : `alle ${count} Stunden`),
    minute: (count) => (count === 1 ? "jede Minute" : `alle ${count} Minuten`),
    second: (count) => (count === 1 ? "jede Sekunde" : `alle ${count} Sekunden`),
  },
  at: (days, time, zone) => `${days} um ${time} ${zone}`,
  minuteOfHour: (minute) => `jede Stunde zur Minute ${minute}`,
  cron: (expression, zone) => `nach dem Cron-Ausdruck „${expression}“ in ${zone}`,
  weekday: "jeden Werktag",
  on: (day) => `jeden ${day}`,
  days: ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"],
  dayOfMonth: (day) => `am ${day}. jedes Monats`,
};
