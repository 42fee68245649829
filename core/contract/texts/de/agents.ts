import type * as english from "../en/agents.ts";

const AGAIN = "Schick deine Nachricht bitte in ein paar Minuten noch einmal.";
const OPERATOR = "Sag bitte den Betreibern dieses Dienstes Bescheid; noch einmal schicken hilft nicht.";
const TIMED_OUT =
  "Der Agent, der hier antwortet, ist nicht rechtzeitig fertig geworden, deshalb habe ich seine Aufgabe abgebrochen. Versuch es in kleineren Schritten.";

export const agents: typeof english.agents = {
  asking: (peer) => `Anfrage an ${peer}`,
  askingAbout: (peer, about) => `Anfrage an ${peer}: ${about}`,
  failures: {
    timedOut: TIMED_OUT,
    credentials: `Der Agent, der hier antwortet, akzeptiert meine Zugangsdaten nicht. ${OPERATOR}`,
    tooLong: "Die Antwort des Agenten ist zu lang, um sie weiterzugeben. Frag nach einem Teil davon.",
    unreachable: `Ich erreiche den Agenten, der hier antwortet, gerade nicht. ${AGAIN}`,
    notHandled: `Der Agent, der hier antwortet, konnte mit deiner Nachricht nichts anfangen. ${OPERATOR}`,
    misconfigured: `Ich erreiche den Agenten, der hier antwortet, nicht. ${OPERATOR}`,
    unreadable: `Der Agent, der hier antwortet, hat etwas geschickt, das ich nicht lesen konnte. ${OPERATOR}`,
    circle: "Ich habe das nicht weitergegeben, weil die Agenten, die daran arbeiten, es im Kreis geschickt haben.",
  },
  stillWorking:
    "Der Agent, der hier antwortet, arbeitet noch daran. Du kannst inzwischen etwas anderes schreiben; seine Antwort folgt hier.",
  ends: {
    timedOut: () => TIMED_OUT,
    gone: () =>
      "Der Agent, der hier antwortet, hat diese Aufgabe nicht mehr, deshalb gibt es keine Antwort. Frag bitte noch einmal.",
    unreachable: () =>
      "Der Agent, der daran arbeitet, war nicht rechtzeitig zu erreichen, deshalb gibt es keine Antwort. Frag bitte noch einmal.",
    noAnswer: () => "_Der Agent ist ohne Text fertig geworden._",
    noQuestion: () => "_Der Agent wartet auf deine Antwort._",
    failed: (reason) => `Der Agent, der hier antwortet, konnte das nicht fertigstellen${reason}`,
    cancelled: (reason) => `Der Agent, der hier antwortet, hat diese Aufgabe abgebrochen${reason}`,
    rejected: (reason) => `Der Agent, der hier antwortet, hat das abgelehnt${reason}`,
    "sign-in": (reason) =>
      `Der Agent, der hier antwortet, verlangt eine Anmeldung, die in diesem Chat nicht möglich ist${reason}`,
  },
};
