import type { menu as english } from "../en/menu.ts";

export const menu: typeof english = {
  help: { menu: "Befehle auflisten", summary: "diese Liste zeigen" },
  new: {
    menu: "Neue Sitzung beginnen; laufende Arbeit geht weiter",
    summary: "neu anfangen: Ich vergesse unser Gespräch, laufende Arbeit geht weiter",
  },
  why: {
    menu: "Warum ich eine Nachricht geschickt habe und woher sie kam",
    argument: "Ihr Link oder ihre ID; leer: die letzte",
    summary: "warum ich von mir aus geschrieben habe: die letzte Nachricht oder die, auf die du antwortest",
  },
  status: {
    menu: "Laufende Arbeit und wartende Nachrichten zeigen",
    summary: "woran ich für dich arbeite und welche Nachrichten warten",
  },
  cancel: {
    menu: "Laufende Arbeit abbrechen",
    argument: "Die ID aus status, answer oder all",
    summary:
      "Arbeit abbrechen; `/cancel answer` stoppt die Antwort, an der ich schreibe, `/cancel all` beendet alles, was ich gerade für dich tue, außer Zeitplänen",
  },
  approve: {
    menu: "Wartende Aufrufe freigeben oder ablehnen",
    argument: "Die ID, oder deny und die ID; leer: die Liste",
    summary:
      "Aufrufe, die auf eine Freigabe warten; `/approve <id>` führt einen aus, `/approve deny <id>` lehnt ihn ab",
  },
  inbox: {
    menu: "Nachrichten, die dich vielleicht nicht erreicht haben",
    argument: "Leer lassen, um sie aufzulisten",
    summary: "Nachrichten, die dich vielleicht nicht erreicht haben: lesen, erneut senden oder verwerfen",
  },
  schedules: {
    menu: "Deine Zeitpläne auflisten, ausführen, abbrechen oder fortsetzen",
    argument: "run, cancel oder resume und die ID",
    summary: "deine Zeitpläne auflisten, einen jetzt ausführen, abbrechen oder fortsetzen",
  },
  memory: {
    menu: "Zeigen oder löschen, was ich mir gemerkt habe",
    argument: "find und Wörter, oder forget und eine Nummer oder all",
    summary:
      "zeigen, durchsuchen oder löschen, was ich mir gemerkt habe: privat über dich, in einem Raum über den Raum",
  },
  budget: {
    menu: "Dein Budget für heute zeigen",
    argument: "continue, um nach einer Nachfrage weiterzumachen",
    summary: "was von deinem heutigen Budget übrig ist; `/budget continue` macht weiter, nachdem ich gefragt habe",
  },
  quiet: {
    menu: "Ruhezeiten, und wo ich dir von mir aus schreiben darf",
    argument: "Zum Beispiel 22:00-07:00, oder off",
    summary: "wann und wo ich dir von mir aus schreiben darf; `/quiet` allein zeigt die Möglichkeiten",
  },
  timezone: {
    menu: "Deine Zeitzone",
    argument: "Zum Beispiel Europe/Berlin, oder auto",
    summary: "deine Zeitzone, für Erinnerungen und Ruhezeiten",
  },
  language: {
    menu: "Die Sprache meiner Hinweise und Daten",
    argument: "en, de, es oder auto",
    summary: "die Sprache meiner Hinweise, Befehle und Datumsangaben",
  },
  link: {
    menu: "Dieses Konto mit deinem auf einem anderen Kanal verknüpfen",
    argument: "Der Code von deinem anderen Kanal oder Browser",
    summary:
      "dieses Konto mit deinem auf einem anderen Kanal oder in einem anderen Browser verknüpfen, damit Antworten dich auf beiden erreichen",
  },
  unlink: {
    menu: "Eine Verknüpfung lösen",
    argument: "Der Kanal des anderen Kontos",
    summary: "dieses Konto oder deines auf einem anderen Kanal lösen",
  },
  report: {
    menu: "Meine letzte Nachricht den Betreibern melden",
    argument: "Was daran nicht stimmt",
    summary: "den Betreibern eine meiner Nachrichten melden: die letzte oder die, auf die du antwortest",
  },
};
