import type * as english from "../en/refusals.ts";

export const refusals: typeof english.refusals = {
  notListed: "Dieses Konto darf hier nicht mit dem Agenten sprechen: Bitte die Betreiber um Zugang",
  notTheOwner:
    "Dieser Assistent ist nur für seinen Besitzer da, deshalb kann ich dir hier nicht antworten. Wenn es deiner ist, trag " +
    "dieses Konto in seiner Konfiguration unter owner ein",
  roomNotListed: "Der Agent hört in diesem Raum nicht zu: Bitte die Betreiber, den Raum aufzunehmen",
  tooManyMessages: (limit) => `Mehr als ${limit} Nachrichten in einer Minute: Warte bitte ein wenig`,
  blocked:
    "Dieses Konto ist gesperrt, deshalb kann ich dir hier nicht antworten. Wenn du das für einen Irrtum hältst, wende dich " +
    "bitte an die Betreiber dieses Dienstes",
  overloaded: "Zu viele Nachrichten warten auf eine Antwort: Schick das bitte in ein paar Minuten noch einmal",
  notAllowed: "Dieser Agent darf hier nicht mit dir sprechen: Bitte die Betreiber um Zugang",
  onlyInGroups: (accountId) =>
    `Ich spreche nur in Gruppen. Wenn du die Betreiber um Zugang bittest, nenn ihnen deine Id: ${accountId}`,
  overBudget: (why) => `Die Datei passt nicht ins Budget. ${why}`,
  cannotAccept: (why) => `Das kann ich nicht annehmen: ${why}.`,
};

export const intake: typeof english.intake = {
  tryAgain: "Ich konnte das gerade nicht speichern. Versuch es bitte gleich noch einmal.",
  restarting: "Ich starte gerade neu. Versuch es bitte gleich noch einmal.",
  unsupported: "Das unterstütze ich nicht. Nimm bitte einen Befehl.",
  hiddenChannel: "Ich kann diesen Kanal nicht sehen. Gib mir bitte zuerst Zugang.",
  oldButton: "Dieser Knopf ist zu alt. Nimm bitte einen Befehl.",
  oldButtonType: "Dieser Knopf ist zu alt. Tipp bitte den Befehl ein.",
  otherWorkspace: "Ich spreche nur mit Mitgliedern meines eigenen Workspace. Bitte die Betreiber um Zugang.",
  unknownWorkspace:
    "Ich spreche nur mit Mitgliedern meines eigenen Workspace, und Slack hat mir deinen nicht gemeldet. Versuch es bitte in einer Minute noch einmal.",
};

export const moderation: typeof english.moderation = {
  refused: {
    message: "Diese Nachricht darf ich nicht beantworten.",
    answer: "Ich habe eine Antwort geschrieben, aber sie wurde zurückgehalten.",
  },
  unchecked: {
    message:
      "Ich konnte diese Nachricht nicht prüfen, deshalb habe ich sie nicht gelesen. Schick sie bitte in ein paar Minuten noch einmal.",
    answer:
      "Ich habe eine Antwort geschrieben, aber sie konnte nicht geprüft werden und wurde zurückgehalten. Frag bitte in ein paar Minuten noch einmal.",
  },
};
