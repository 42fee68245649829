import type * as english from "../en/everyday.ts";

export const help: typeof english.help = {
  introduction: "Schreib mir einfach wie einer Kollegin oder einem Kollegen. Diese Befehle kenne ich auch:",
  seenElsewhere:
    "Damit meine Antworten dich auch auf deinen anderen Kanälen und in deinen anderen Browsern erreichen, schreib dort `/link` und schick mir den Code hier, oder umgekehrt.",
  newSession: "Das ist eine neue Sitzung: Unser bisheriges Gespräch habe ich vergessen.",
  unknown: (name) => `Den Befehl „${name}“ kenne ich nicht.`,
  didYouMean: (name) => `Meintest du \`/${name}\`?`,
  known: (list) => `Ich kenne ${list}.`,
  values: { code: "Code", channel: "Kanal", words: "Wörter", number: "Nummer", reason: "Grund" },
};

export const status: typeof english.status = {
  none: "Ich arbeite gerade an nichts für dich, und es warten keine Nachrichten.",
  heading: "Das läuft gerade für dich:",
  answering: (summary, ago) => `Antwort auf „${summary}“, begonnen ${ago}`,
  work: (name, id, how, ago) => `${name} (\`${id}\`): ${how}, begonnen ${ago}`,
  working: "in Arbeit",
  waitingToStart: "wartet auf den Start",
  approval: (tool, state, ago, id) => `\`${tool}\` ${state}, gefragt ${ago} (\`/approve ${id}\`)`,
  held: (count, channel, until) =>
    `${count === 1 ? "1 Nachricht wartet" : `${count} Nachrichten warten`} auf dich in ${channel}, ${until}`,
  until: (time) => `bis ${time}`,
  untilReachable: "bis ich den Kanal erreiche",
};

export const cancel: typeof english.cancel = {
  nothing: "Ich arbeite gerade an nichts für dich.",
  nothingHere: "Ich arbeite in dieser Unterhaltung gerade an nichts für dich.",
  question: "Was soll ich abbrechen?",
  all: "`/cancel all` beendet alles auf allen deinen Kanälen: Antworten, Arbeit und Aufrufe anderer Agenten. Zeitpläne bleiben.",
  answers: (count) => `${count} ${count === 1 ? "Antwort" : "Antworten"}`,
  work: (count) => `${count} ${count === 1 ? "Aufgabe" : "Aufgaben"}`,
  calls: (count) => `${count} ${count === 1 ? "Aufruf eines anderen Agenten" : "Aufrufe anderer Agenten"}`,
  ended: (list) => `Beendet: ${list}.`,
  schedulesStay: "Zeitpläne und Erinnerungen bleiben: `/schedules` listet sie auf.",
  badId: "Eine ID sieht aus wie `subtask-1a2b3c4d`. `/cancel` zeigt, was du abbrechen kannst.",
  unknown: (id) => `Eine Aufgabe „${id}“ gibt es nicht.`,
  notYours: (id) => `${id} gehört einer anderen Person: Das kann nur, wer darum gebeten hat.`,
  alreadyEnded: (name, state) => `${name} ist schon zu Ende: ${state}.`,
  quoted: (name) => `„${name}“`,
  cancelled: (name) => `${name} ist abgebrochen.`,
  endedItself: (name) => `${name} ist gerade von selbst fertig geworden.`,
  noAnswer: "Ich schreibe hier gerade keine Antwort für dich.",
  stopped: "Okay, ich habe aufgehört.",
  button: (name) => `„${name}“ abbrechen`,
};

export const inbox: typeof english.inbox = {
  gone: "Diese Nachricht ist nicht mehr in deinem Posteingang. `/inbox` zeigt, was noch da ist.",
  usage: "`/inbox` listet deine Nachrichten auf; mit den Knöpfen liest du sie, sendest sie erneut oder verwirfst sie.",
  sending: (target) => `Ich sende sie noch einmal, an ${target}.`,
  dismissed: "Verworfen.",
  empty: "Dein Posteingang ist leer: Alles hat dich erreicht.",
  end: "Das ist alles.",
  heading: "Diese Nachrichten haben dich vielleicht nicht erreicht:",
  entry: (excerpt, target, ago, reason) => `„${excerpt}“, für ${target}, ${ago}: ${reason}`,
  more: "Mehr zeigen",
  read: (number) => `${number} lesen`,
  again: (number) => `${number} erneut senden`,
  dismiss: (number) => `${number} verwerfen`,
  forTarget: (target) => `Für ${target}.`,
  about: (summary) => `Es geht um „${summary}“.`,
  files: (names) => `Dateien, die beim erneuten Senden mitkommen: ${names}`,
  privateTarget: (channel) => `deine private Unterhaltung in ${channel}`,
  sharedTarget: (channel) => `eine gemeinsame Unterhaltung in ${channel}`,
};

export const report: typeof english.report = {
  nothing: "Hier ist keine Nachricht von mir, die ich melden könnte. Antworte auf die Nachricht mit `/report`.",
  reported:
    "Danke, ich habe meine Nachricht gemeldet. Die Betreiber sehen, wer sie wann gemeldet hat, aber nicht den Text.",
  include: "Nachricht beilegen",
  gone: "Diese Meldung oder die Nachricht ist nicht mehr gespeichert.",
  included: "Ich habe die Nachricht deiner Meldung beigelegt. Die Betreiber können sie jetzt lesen.",
  button: "Melden",
};

export const feedback: typeof english.feedback = {
  unknown: "Diese Antwort finde ich nicht, deshalb habe ich keine Rückmeldung gespeichert.",
  removed: "Ich habe deine Rückmeldung entfernt.",
  thanks: "Danke für deine Rückmeldung.",
};

export const links: typeof english.links = {
  none: "Hier gibt es keine Links von dir zu widerrufen. Sie laufen nach 24 Stunden ab.",
  revoked: "Die Links funktionieren nicht mehr.",
};

export const conversation: typeof english.conversation = {
  shared: "Eine Unterhaltung, an der andere teilnehmen, kann ich nicht löschen.",
  deleted: "Ich habe unsere Unterhaltung gelöscht.",
  confirmDeletion:
    "Soll ich unsere Unterhaltung hier löschen? Ich vergesse, was wir geschrieben haben, meine Notizen dazu und ihre " +
    "Dateien, und breche ihre Arbeit ab. Nachrichten, die deine App zeigt, bleiben dort. Das lässt sich nicht rückgängig " +
    "machen. `/delete-conversation confirm` löscht sie.",
  deleteIt: "Löschen",
};

export const workspace: typeof english.workspace = {
  none: "Ich arbeite hier an keinem Repository.",
  stillWorking: (name) => `Ich arbeite noch an „${name}“.`,
  unchanged: "Es wurde nichts geändert.",
  discarded: (name) => `Ich habe die Änderungen von „${name}“ verworfen.`,
  missing: (id) => `${id} hat keinen Arbeitsbereich: Es wurde nichts geändert, oder er wurde verworfen.`,
  dirty: (names) =>
    `Im Repository sind Änderungen, die noch nicht committet sind (${names}). Sie müssen zuerst committet, weggelegt oder verworfen werden.`,
  moved: (branch) =>
    `Nicht zusammengeführt: Der Branch ${branch} hat sich geändert, seit ich seine Änderungen gezeigt habe. Führe ihn im Repository zusammen, oder bitte mich, die Arbeit noch einmal zu machen.`,
  conflicts: (files) => `Nicht zusammengeführt: Konflikte in ${files}. Es wurde nichts geändert.`,
  notMerged: (output) => `Nicht zusammengeführt: ${output}. Es wurde nichts geändert.`,
  changed: (files, insertions, deletions) =>
    `${files} ${files === 1 ? "Datei" : "Dateien"} geändert, +${insertions} −${deletions}`,
  merged: (branch) => `In ${branch} zusammengeführt.`,
  alreadyMerged: "Das ist schon zusammengeführt.",
  show: (name) => `„${name}“ zeigen`,
  merge: (name) => `„${name}“ zusammenführen`,
  discard: (name) => `„${name}“ verwerfen`,
};
