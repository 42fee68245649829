import type * as english from "../en/failures.ts";

export const failures: typeof english.failures = {
  "rate-limited": "Ich habe gerade zu viel zu tun. Schick deine Nachricht bitte in einer Minute noch einmal.",
  timeout: "Ich bin mit meiner Antwort nicht rechtzeitig fertig geworden. Schick deine Nachricht bitte noch einmal.",
  unreachable:
    "Ich erreiche mein Sprachmodell gerade nicht. Schick deine Nachricht bitte in ein paar Minuten noch einmal.",
  credentials:
    "Mein Sprachmodell nimmt meine Zugangsdaten nicht an. Sag bitte den Betreibern dieses Dienstes Bescheid; noch einmal senden hilft nicht.",
  "context-too-long":
    "Dieses Gespräch oder deine Nachricht ist zu lang für mich. Beginne mit `/new` eine neue Sitzung, oder schick etwas Kürzeres.",
  overloaded: "Mein Sprachmodell ist gerade überlastet. Schick deine Nachricht bitte in ein paar Minuten noch einmal.",
  "bad-answer":
    "Mein Sprachmodell hat mir eine Antwort gegeben, mit der ich nichts anfangen konnte. Schick deine Nachricht bitte noch einmal.",
  refused: "Mein Sprachmodell wollte darauf nicht antworten. Versuch es mit anderen Worten.",
  cancelled: "Das wurde abgebrochen, bevor ich antworten konnte.",
  "turn-timeout":
    "Das hat länger gedauert, als ich für eine Nachricht brauchen darf. Frag in kleineren Schritten danach.",
  "no-answer":
    "Ich habe alle Schritte für eine Nachricht verbraucht und keine Antwort gefunden. Frag nach einem Teil davon.",
  budget: "Das Budget für heute ist aufgebraucht. `/budget` zeigt, wann es sich erneuert.",
  internal:
    "Etwas ist schiefgegangen, und ich konnte deine Nachricht nicht beantworten. Die Betreiber dieses Dienstes können nachsehen.",
};

export const turns: typeof english.turns = {
  rawResults: "Ich konnte diese Ergebnisse nicht zusammenfassen, deshalb sind sie hier unbearbeitet.",
  stopped: "_Angehalten._",
  notRunAgain: (tools) => `_Nicht noch einmal ausgeführt, das frühere Ergebnis zählt: ${tools}._`,
  runAgain: (tools) => `_Für diese Fassung noch einmal ausgeführt: ${tools}._`,
  cannotRevise:
    "Diese Nachricht kann ich nicht mehr ersetzen: Sie ist zu alt oder gehört zu einer früheren Sitzung. Schick sie bitte als neue.",
};

export const delivery: typeof english.delivery = {
  failures: {
    unknown: "sie ist vielleicht angekommen, vielleicht nicht",
    "target-gone": "die Unterhaltung gibt es nicht mehr",
    forbidden: "ich darf dort nicht schreiben",
    rejected: "die Plattform hat sie abgelehnt",
    unavailable: "die Plattform war nicht zu erreichen",
    "rate-limited": "die Plattform begrenzt, wie viel ich sende",
  },
  reasons: {
    "not-yours": "das Konto dort ist nicht mehr deines",
    "no-channel": "diesen Kanal gibt es nicht mehr",
    "not-met": "die Person hat mir noch nicht privat geschrieben",
    "no-access": "ich habe dort keinen Zugang mehr",
  },
  instead: {
    here: "Ich schicke es stattdessen hierher.",
    elsewhere: "Ich schicke es stattdessen in eine andere Unterhaltung von dir.",
    inbox: "Du findest es mit `/inbox`.",
  },
  undeliverable: (result, where, why) =>
    `Das Ergebnis ${result} konnte${where === undefined ? "" : ` in ${where}`} nicht zugestellt werden: ${why}.`,
  schedule: (title) => `des Zeitplans „${title}“`,
  forAgent: (title) => `von „${title}“, worum ein anderer Agent gebeten hat,`,
  someonesSchedule: (id) => `des Zeitplans einer Person${id === undefined ? "" : ` (${id})`}`,
  workForAgent: "einer Arbeit für einen anderen Agenten",
  inDeadLetters: "Falls es gesendet wurde, finden es die Betreiber dieses Dienstes bei den unzustellbaren Nachrichten.",
};
