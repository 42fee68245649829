import type * as english from "../en/settings.ts";

export const quiet: typeof english.quiet = {
  usage: [
    "- `/quiet 22:00-07:00`: Nachrichten, die ich von mir aus schicke, warten bis 07:00. Du kannst eine Zeitzone anfügen, etwa Europe/Berlin",
    "- `/quiet off`: keine Ruhezeiten",
    "- `/quiet everywhere`: Ich schicke sie auf allen deinen Kanälen",
    "- `/quiet origin`: Ich schicke sie nur dorthin, wo die Arbeit begann",
    "- `/quiet last-active`: Ich schicke sie dorthin und wo du mir zuletzt geschrieben hast",
    "- `/quiet origin shared`: dasselbe, nur für Arbeit, die in einem Raum begann. Andere Arten: private (mit dir allein), " +
      "scheduled (nach Zeitplan), a2a-inbound (für einen anderen Agenten)",
    "- `/quiet default`: zurück zu den Voreinstellungen",
  ].join("\n"),
  unclear: (text) => `„${text}“ verstehe ich nicht. Versuch eines davon:`,
  hours: (hours) => `Ruhezeiten: ${hours}.`,
  reach: (reach) => `Wo ich dir von mir aus schreibe: ${reach}.`,
  byDefault: (value) => `${value} (voreingestellt)`,
  forKind: (reach, kind) => `${reach} für Arbeit der Art ${kind}`,
  off: "aus",
  inYourZone: (hours) => `${hours}, in deiner Zeitzone`,
};

export const timezone: typeof english.timezone = {
  usage: "`/timezone Europe/Berlin` setzt sie, `/timezone auto` folgt wieder deinen Apps.",
  notAZone: (text) => `„${text}“ ist keine Zeitzone. Nimm einen Namen wie Europe/Berlin.`,
  own: (zone) => `Deine Zeitzone ist ${zone}.`,
  reported: (zone) => `Deine Zeitzone ist ${zone}, so meldet es deine App.`,
  unknown: (zone) => `Ich kenne deine Zeitzone nicht, deshalb nehme ich ${zone}.`,
};

export const language: typeof english.language = {
  usage: "`/language en` oder `/language es` stellt eine andere ein, `/language auto` folgt wieder deinen Apps.",
  name: "Deutsch",
  notALanguage: (text) => `„${text}“ spreche ich nicht. Ich kann en (English), de (Deutsch) und es (Español).`,
  own: (name) => `Meine Hinweise schreibe ich auf ${name}.`,
  reported: (name) => `Meine Hinweise schreibe ich auf ${name}, so meldet es deine App.`,
  unknown: (name) => `Ich kenne deine Sprache nicht, deshalb schreibe ich meine Hinweise auf ${name}.`,
};

export const memory: typeof english.memory = {
  none: "Hier gibt es kein Gedächtnis.",
  usage:
    "`/memory` zeigt, was ich mir gemerkt habe. `/memory find <words>` sucht darin, `/memory forget <number>` löscht einen Eintrag, " +
    "und `/memory forget all` löscht alle.",
  person: {
    nothingYet:
      "Über dich habe ich mir noch nichts gemerkt. Sag es mir einfach, zum Beispiel: „Merk dir, dass ich Tee mag“.",
    nothing: "Über dich habe ich mir nichts gemerkt.",
    noMatch: "Über dich habe ich mir nichts gemerkt, das zu diesen Wörtern passt.",
    heading: (count) => `Über dich habe ich mir ${count} ${count === 1 ? "Sache" : "Sachen"} gemerkt`,
    eraseAll: (count) =>
      count === 1
        ? "Soll ich die eine Sache löschen, die ich mir über dich gemerkt habe?"
        : `Soll ich alle ${count} Sachen löschen, die ich mir über dich gemerkt habe?`,
  },
  room: {
    nothingYet:
      "Für diesen Raum habe ich mir noch nichts gemerkt. Sag es mir einfach, zum Beispiel: „Merk dir, dass ich Tee mag“.",
    nothing: "Für diesen Raum habe ich mir nichts gemerkt.",
    noMatch: "Für diesen Raum habe ich mir nichts gemerkt, das zu diesen Wörtern passt.",
    heading: (count) => `Für diesen Raum habe ich mir ${count} ${count === 1 ? "Sache" : "Sachen"} gemerkt`,
    eraseAll: (count) =>
      `${
        count === 1
          ? "Soll ich die eine Sache löschen, die ich mir für diesen Raum gemerkt habe?"
          : `Soll ich alle ${count} Sachen löschen, die ich mir für diesen Raum gemerkt habe?`
      } Nur die, um die du gebeten hast, es sei denn, du gehörst zu den Betreibern.`,
  },
  some: ", hier sind einige",
  howToForget: "`/memory forget <number>` löscht einen Eintrag, `/memory forget all` alle.",
  older: "Ältere zeigen",
  best: "Die besten Treffer zuerst:",
  forgetButton: (text) => `„${text}“ vergessen`,
  noEntry: "So einen Eintrag habe ich nicht. `/memory` zeigt die Nummern.",
  which: "Welcher?",
  notYours: "Das kann nur löschen, wer mich darum gebeten hat, oder ein Betreiber.",
  forgotten: (text) => `Vergessen: ${text}`,
  cannotUndo: "Das lässt sich nicht rückgängig machen. `/memory forget all confirm` löscht sie.",
  eraseAllButton: "Alle löschen",
  forgot: (count) =>
    count === 0 ? "Ich habe nichts vergessen." : `Ich habe ${count} ${count === 1 ? "Sache" : "Sachen"} vergessen.`,
  othersStay: (count) =>
    count === 1 ? "1 Sache von anderen Leuten bleibt." : `${count} Sachen von anderen Leuten bleiben.`,
};

export const budget: typeof english.budget = {
  unlimited: "Heute ist nicht begrenzt, was ich für dich verbrauchen darf.",
  usage: "`/budget` zeigt, was übrig ist. `/budget continue` macht weiter, nachdem ich gefragt habe.",
  lifted: "Ich mache heute weiter, bis zur Grenze. Schick deine Nachricht bitte noch einmal.",
  notYours: "Das kann nur die Person wählen, um deren Budget es geht, oder ein Betreiber.",
  heading: "Heute verbraucht:",
  sharedUsedUp: "Das gemeinsame Budget aller ist aufgebraucht.",
  allAssistants: " mit allen Assistenten zusammen",
  left: (percent) => `${percent} % übrig`,
  asksAt: (percent) => `bei ${percent} % frage ich nach`,
  continueButton: "Weiter",
  numbers: "de",
  use: (used, limit, resource) => `${used} von ${limit} ${resource}`,
  resources: {
    turns: "Antworten",
    tokens: "Tokens",
    cost: "Kosten",
    subtasks: "Aufgaben",
    bytes: "gespeicherten Bytes",
  },
  renewal: (left) => `Es erneuert sich um 00:00 UTC, in ${left}.`,
  minutes: (minutes) => `${minutes} Min.`,
  hours: (hours, minutes) => `${hours} Std. ${minutes} Min.`,
  ownBackground:
    "Arbeit im Hintergrund hat ihren Teil deines heutigen Budgets verbraucht; der Rest ist für Nachrichten von Menschen reserviert.",
  sharedBackground:
    "Arbeit im Hintergrund hat ihren Teil des heutigen Budgets dieses Assistenten verbraucht; der Rest ist für Nachrichten von Menschen reserviert.",
  assistantUsedUp: "Das heutige Budget dieses Assistenten ist aufgebraucht.",
  operatorCanRaise: "Die Betreiber dieses Dienstes können es erhöhen.",
  usedUp: (use) => `Dein Budget für heute ist aufgebraucht (${use}).`,
  showsWhatIsLeft: "`/budget` zeigt, was übrig ist.",
  softOwn: (percent, use) =>
    `Du hast ${percent} % deines Budgets für heute erreicht (${use}). Möchtest du weitermachen? Wähle „Weiter“ oder schick ` +
    "`/budget continue`, und dann deine Nachricht noch einmal.",
  softShared: (percent) =>
    `Dieser Assistent hat ${percent} % seines Budgets für heute erreicht. Ein Betreiber kann ihn weitermachen lassen.`,
  warning: (percent, use) => `Du hast ${percent} % deines Budgets für heute verbraucht (${use}).`,
  waitsOwn: (limit) =>
    `Ich bearbeite höchstens ${limit} deiner Nachrichten gleichzeitig. Diese wartet in der Reihe; ich antworte, sobald ich kann.`,
  waitsShared:
    "Ich bearbeite gerade so viele Nachrichten, wie ich gleichzeitig darf. Deine wartet in der Reihe; ich antworte, sobald ich kann.",
};
