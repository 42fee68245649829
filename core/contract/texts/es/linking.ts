import type * as english from "../en/linking.ts";

export const linking: typeof english.linking = {
  problems: {
    "too-many": "Han sido muchos intentos. Prueba otra vez dentro de diez minutos.",
    unknown: "No conozco este código. Comprueba si hay erratas, o pide uno nuevo en tu otro canal.",
    void: "Este código ya no sirve. Pide uno nuevo en tu otro canal.",
    expired: "Este código ha caducado. Pide uno nuevo en tu otro canal.",
    used: "Este código ya se ha usado, y cada uno sirve una sola vez. Pide uno nuevo en tu otro canal.",
    "same-account": "Has pedido este código aquí. Envíamelo desde otro canal u otro navegador.",
    "same-channel": "Este código es de este canal. Envíamelo desde otro canal.",
    linked: "Estas dos cuentas ya están vinculadas.",
    taken: "Las dos cuentas ya están vinculadas con otras. Usa primero `/unlink` en una de ellas.",
  },
  inPrivate:
    "Otras personas pueden leer esto, así que los códigos mostrados aquí ya no sirven. Envíame `/link` en un mensaje directo.",
  noCode: "Un código tiene esta forma: `7KQ2M-XW94T`. `/link` te da uno para otro canal.",
  onAnotherChannel: "En otro canal",
  orInAnotherBrowser: "En otro canal, o en otro navegador",
  code: (code, where) =>
    `Tu código es \`${code}\`. ${where}, envíame esto en un mensaje directo: \`link ${code}\`\n\n` +
    "Sirve una vez, durante diez minutos. Después te pido que confirmes en ambos lados. No lo compartas.",
  account: (name, channel) => `«${name}» en ${channel}`,
  aPerson: "una persona",
  and: "y",
  entered: (account) => `${account} ha introducido tu código.`,
  askedForIt: (account) => `${account} ha pedido este código.`,
  linkedWithOthers: (others) => `, en vínculo con ${others},`,
  words: (words) =>
    `El otro navegador debe mostrar las mismas dos palabras: **${words}**. Si no es así, recházalo.\n\n`,
  isThatYou: (id) =>
    "¿Eres tú? Si es así, desde ahora ambas cuentas verán las respuestas a lo que pregunte cualquiera de ellas.\n\n" +
    `Confirma antes de diez minutos: \`/link confirm ${id}\`. ¿No eres tú? \`/link refuse ${id}\``,
  confirmButton: "Vincular cuentas",
  refuseButton: "Rechazar",
  confirmToo: (account) => `Gracias. Confirma también como ${account}.`,
  linkedWith: (account) =>
    `Vínculo creado con ${account}. Desde ahora, las respuestas te llegan a ambas. \`/unlink\` lo deshace.`,
  otherRefused: "La otra cuenta ha rechazado el vínculo, así que no se ha vinculado nada.",
  refused: (account) => `De acuerdo, no he vinculado ${account}.`,
  unlinkInPrivate: "Envíame `/unlink` en un mensaje directo: solo desvinculo cuentas en privado.",
  notLinked: "Esta cuenta no está vinculada con ninguna otra.",
  declared: "El operador de este servicio ha vinculado estas cuentas: pídele que lo cambie.",
  noneOn: (channel) => `No tienes ninguna cuenta vinculada en «${channel}».`,
  isLinkedWith: (accounts) => `Esta cuenta está vinculada con ${accounts}.`,
  unlinked: (leaving, staying, count) => `${leaving} ya no ${count === 1 ? "tiene" : "tienen"} vínculo con ${staying}.`,
  thisUnlinked: (account) => `Esta cuenta ya no tiene vínculo con ${account}.`,
  otherUnlinked: (accounts, count) => `${accounts} ya no ${count === 1 ? "tiene" : "tienen"} vínculo con esta cuenta.`,
  operatorUnlinked: (accounts) => `El operador de este servicio ha desvinculado ${accounts} de esta cuenta.`,
};
