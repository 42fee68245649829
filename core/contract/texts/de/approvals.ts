import type * as english from "../en/approvals.ts";

export const approvals: typeof english.approvals = {
  badId: "Eine ID sieht aus wie `approval-1a2b3c4d5e6f`. `/approve` listet die wartenden Aufrufe auf.",
  none: "Hier wartet kein Aufruf auf eine Freigabe.",
  heading:
    "Diese Aufrufe warten auf eine Freigabe. Ihre Argumente stehen in den Nachrichten, die danach gefragt haben:",
  entry: (tool, state, ago, id) => `\`${tool}\` ${state}, gefragt ${ago}: \`${id}\``,
  howToDecide: "Entscheide mit `/approve` oder `/approve deny` und der ID.",
  unknown: "Diese Anfrage gibt es hier nicht. `/approve` listet die Aufrufe auf, die auf eine Freigabe warten.",
  decided: (state) => `Hier ist nichts mehr zu entscheiden: ${state}.`,
  denied: (tool) => `Abgelehnt. Ich führe \`${tool}\` nicht aus.`,
  approved: (tool) => `Freigegeben. Ich führe \`${tool}\` mit genau diesen Argumenten aus.`,
  notAskedForAnHour: (tool) => `In der nächsten Stunde frage ich bei \`${tool}\` nicht nach.`,
  onlyOnce: "Dieser Aufruf lässt sich nur einzeln freigeben: Nimm `/approve` mit seiner ID.",
  notAllowed:
    "Danke, aber das kannst du nicht entscheiden: Dafür braucht es das Recht, Aufrufe freizugeben (`approve`, oder `confirm` für " +
    "deine eigene Arbeit). Ein Betreiber kann es vergeben.",
  question: (tool) => `**Darf ich \`${tool}\` ausführen?**`,
  inPlainWords: (description) => `In einfachen Worten: ${description}`,
  noDescription: "Das Werkzeug hat keine Beschreibung.",
  about: (source, summary) => `${source}: „${summary}“`,
  forSchedule: "Für einen Zeitplan",
  forAgent: "Für einen anderen Agenten",
  askedForBy: (name) => `Auf Bitte von ${name}`,
  destructive: "Das kann Daten zerstören oder ändern.",
  noArguments: "Es gibt keine Argumente.",
  theseArguments: "Es läuft mit genau diesen Argumenten:",
  expires: (id, until) => `\`/approve ${id}\` oder \`/approve deny ${id}\`; die Anfrage läuft ab: ${until}.`,
  approveButton: "Freigeben",
  hourButton: "Für eine Stunde freigeben",
  denyButton: "Ablehnen",
  states: {
    pending: "wartet auf eine Freigabe",
    approved: (name) => `freigegeben von ${name}`,
    approvedForHour: (name) => `für eine Stunde freigegeben von ${name}`,
    running: "läuft",
    denied: (name) => `abgelehnt von ${name}`,
    expired: "nicht rechtzeitig entschieden, deshalb nicht ausgeführt",
    withdrawn: "zurückgezogen, weil die Arbeit abgebrochen wurde",
  },
  outcomes: {
    done: "fertig",
    failed: "fehlgeschlagen",
    interrupted: "unterbrochen, Ausgang unbekannt",
    refused: "nicht ausgeführt",
  },
  aPerson: "einer Person",
};

export const rights: typeof english.rights = {
  refused: (what, need) =>
    `Hier nicht erlaubt: Dafür braucht es das Recht, ${what} (\`${need}\`). Ein Betreiber kann es vergeben.`,
  useTool: (name) => `das Werkzeug ${name} zu benutzen`,
  abilities: {
    delegate: "Aufgaben abzugeben",
    remind: "Erinnerungen zu stellen, die einmal laufen",
    schedule: "Zeitpläne anzulegen, die sich wiederholen",
    remember: "etwas dauerhaft zu merken",
    peers: "andere Agenten fragen zu lassen",
    workspace: "am Repository des Agenten zu arbeiten",
    confirm: "in der eigenen Arbeit Aufrufe von Werkzeugen freizugeben, die vorher fragen",
    approve: "Aufrufe von Werkzeugen freizugeben, die vorher fragen",
  },
};
