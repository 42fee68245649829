import type * as english from "../en/linking.ts";

export const linking: typeof english.linking = {
  problems: {
    "too-many": "Das waren viele Versuche. Probier es bitte in zehn Minuten noch einmal.",
    unknown: "Diesen Code kenne ich nicht. Prüf ihn auf Tippfehler, oder hol dir auf deinem anderen Kanal einen neuen.",
    void: "Dieser Code gilt nicht mehr. Hol dir auf deinem anderen Kanal einen neuen.",
    expired: "Dieser Code ist abgelaufen. Hol dir auf deinem anderen Kanal einen neuen.",
    used: "Dieser Code wurde schon benutzt, und jeder gilt nur einmal. Hol dir auf deinem anderen Kanal einen neuen.",
    "same-account": "Um diesen Code hast du hier gebeten. Schick ihn mir von einem anderen Kanal oder Browser aus.",
    "same-channel": "Dieser Code ist von diesem Kanal. Schick ihn mir von einem anderen Kanal aus.",
    linked: "Diese beiden Konten sind schon verknüpft.",
    taken: "Beide Konten sind schon mit anderen verknüpft. Löse zuerst eines davon mit `/unlink`.",
  },
  inPrivate:
    "Das können andere lesen, deshalb gelten Codes, die hier standen, nicht mehr. Schick mir `/link` bitte in einer Direktnachricht.",
  noCode: "Ein Code sieht aus wie `7KQ2M-XW94T`. `/link` gibt dir einen für einen anderen Kanal.",
  onAnotherChannel: "Schick mir auf einem anderen Kanal",
  orInAnotherBrowser: "Schick mir auf einem anderen Kanal oder in einem anderen Browser",
  code: (code, where) =>
    `Dein Code ist \`${code}\`. ${where} das hier als Direktnachricht: \`link ${code}\`\n\n` +
    "Er gilt einmal und zehn Minuten lang. Danach bitte ich dich auf beiden Seiten um Bestätigung. Behalte ihn für dich.",
  account: (name, channel) => `„${name}“ in ${channel}`,
  aPerson: "eine Person",
  and: "und",
  entered: (account) => `${account} hat deinen Code eingegeben.`,
  askedForIt: (account) => `${account} hat um diesen Code gebeten.`,
  linkedWithOthers: (others) => `, verknüpft mit ${others},`,
  words: (words) => `Der andere Browser muss dieselben zwei Wörter zeigen: **${words}**. Wenn nicht, lehne ab.\n\n`,
  isThatYou: (id) =>
    "Bist du das? Dann sehen ab jetzt beide Konten die Antworten auf das, was eines von ihnen fragt.\n\n" +
    `Bestätige innerhalb von zehn Minuten: \`/link confirm ${id}\`. Bist du es nicht? \`/link refuse ${id}\``,
  confirmButton: "Konten verknüpfen",
  refuseButton: "Ablehnen",
  confirmToo: (account) => `Danke. Bestätige bitte auch als ${account}.`,
  linkedWith: (account) =>
    `Verknüpft mit ${account}. Ab jetzt erreichen dich Antworten auf beiden. \`/unlink\` macht es rückgängig.`,
  otherRefused: "Das andere Konto hat abgelehnt, deshalb wurde nichts verknüpft.",
  refused: (account) => `Okay, ich habe ${account} nicht verknüpft.`,
  unlinkInPrivate: "Schick mir `/unlink` bitte in einer Direktnachricht: Konten löse ich nur privat.",
  notLinked: "Dieses Konto ist mit keinem anderen verknüpft.",
  declared: "Die Betreiber dieses Dienstes haben diese Konten verknüpft: Bitte sie, das zu ändern.",
  noneOn: (channel) => `Du hast kein verknüpftes Konto auf „${channel}“.`,
  isLinkedWith: (accounts) => `Dieses Konto ist verknüpft mit ${accounts}.`,
  unlinked: (leaving, staying, count) =>
    `${leaving} ${count === 1 ? "ist" : "sind"} nicht mehr mit ${staying} verknüpft.`,
  thisUnlinked: (account) => `Dieses Konto ist nicht mehr mit ${account} verknüpft.`,
  otherUnlinked: (accounts, count) =>
    `${accounts} ${count === 1 ? "ist" : "sind"} nicht mehr mit diesem Konto verknüpft.`,
  operatorUnlinked: (accounts) => `Die Betreiber dieses Dienstes haben ${accounts} von diesem Konto gelöst.`,
};
