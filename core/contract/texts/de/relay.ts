import type * as english from "../en/relay.ts";

export const anchors: typeof english.anchors = {
  started: "begonnen",
  from: "in",
  askedFor: "erbeten",
  scheduled: "geplant",
  at: "um",
  jump: "springen",
};

export const digests: typeof english.digests = {
  waited: (count) => `**${count} Nachrichten haben auf dich gewartet.**`,
  whyNumber: (number) => `Warum ${number}?`,
};

export const takeovers: typeof english.takeovers = {
  started: (operator, agent, minutes) =>
    `${operator} vom Betrieb dieses Dienstes antwortet jetzt hier und kann diese Unterhaltung lesen. ${agent} pausiert für ` +
    `höchstens ${minutes} ${minutes === 1 ? "Minute" : "Minuten"}.`,
  ended: (operator, agent) => `${operator} antwortet hier nicht mehr. ${agent} antwortet wieder.`,
};

export const placeholders: typeof english.placeholders = {
  onlyForYou: "Die Antwort ist nur für dich. Schick mir bitte eine Direktnachricht und frag mich dort.",
  nothingMore: "Dazu gibt es nichts zu sagen.",
};
