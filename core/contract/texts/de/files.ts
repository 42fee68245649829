import type * as english from "../en/files.ts";
import { phrase } from "../phrase.ts";

const READABLE =
  "Bilder (PNG, JPEG, GIF, WebP), PDF, Dateien von Word, Excel, PowerPoint und OpenDocument sowie einfachen Text wie CSV, " +
  "Markdown und Code";

const whys: typeof english.files.whys = {
  "is empty": "ist leer",
  "is damaged": "ist beschädigt",
  "is damaged or incomplete": "ist beschädigt oder unvollständig",
  "is protected with a password": "ist mit einem Passwort geschützt",
  "is compressed in an unusual way": "ist auf ungewöhnliche Art komprimiert",
  "has no text": "enthält keinen Text",
  "has no text, perhaps it is a scan": "enthält keinen Text, vielleicht ist sie ein Scan",
  "has too many parts": "hat zu viele Teile",
  "unpacks to too much data": "enthält entpackt zu viele Daten",
  "takes too long to read": "braucht zu lange zum Lesen",
  "needs too much memory": "braucht zu viel Speicher",
  "is no longer needed": "wird nicht mehr gebraucht",
  "cannot be read": "lässt sich nicht lesen",
};

const kinds: typeof english.files.kinds = {
  "ZIP archive": "ZIP-Archiv",
  "old or protected Office document": "altes oder geschütztes Office-Dokument",
  "HEIC image": "HEIC-Bild",
  "HEIF image": "HEIF-Bild",
  "AVIF image": "AVIF-Bild",
  "BMP image": "BMP-Bild",
  "TIFF image": "TIFF-Bild",
  "video or sound": "Video oder Ton",
  sound: "Ton",
  "compressed archive": "komprimiertes Archiv",
  program: "Programm",
  "RTF document": "RTF-Dokument",
};

export const files: typeof english.files = {
  problems: {
    late: (name) => `Ich konnte ${name} nicht rechtzeitig holen. Schick es bitte noch einmal.`,
    expired: (name) => `${name} ist abgelaufen. Schick es bitte noch einmal.`,
    noImages: (name) => `Ich kann mir keine Bilder ansehen (${name}): Mein Modell liest nur Text.`,
    imageTooLarge: (name, size, max) =>
      `${name} ist zu groß für mich: Es hat ${size}, und ich kann mir Bilder bis ${max} ansehen.`,
    unreadable: (name) => `Ich kann ${name} nicht lesen.`,
    noFiles: (name) => `Auf diesem Kanal kann ich keine Dateien lesen (${name}).`,
    tooMany: (name, max) =>
      `Ich lese höchstens ${max} Dateien einer Nachricht, deshalb habe ich ${name} nicht gelesen.`,
    failedOften: (name) => `Ich kann ${name} nicht lesen: Es ist mehrmals fehlgeschlagen.`,
    tooLarge: (name, max) => `Ich kann ${name} nicht lesen: Die Datei ist größer als ${max}.`,
    unknownKind: (name) => `Diese Art von Datei kann ich nicht lesen (${name}): Ich kann ${READABLE} lesen.`,
    otherKind: (name, kind) =>
      `Diese Art von Datei kann ich nicht lesen (${name}, ${phrase(kinds, kind)}): Ich kann ${READABLE} lesen.`,
    because: (name, why) => `Ich kann ${name} nicht lesen: Die Datei ${phrase(whys, why)}.`,
    gone: (name) =>
      `Ich konnte ${name} nicht holen: Es ist dort, wohin es geschickt wurde, nicht mehr vorhanden. Schick es bitte noch einmal.`,
    forbidden: (name) =>
      `Ich konnte ${name} nicht holen: Ich darf es nicht abrufen. Die Betreiber finden den Grund im Log.`,
    unknown: (name) => `Ich konnte ${name} nicht holen: Der Kanal kennt es nicht. Schick es bitte noch einmal.`,
    unavailable: (name) =>
      `Ich konnte ${name} nicht holen: Der Server, der es hat, antwortet nicht. Schick es bitte später noch einmal.`,
    noFile: (name) => `Ich konnte ${name} nicht holen: Der Kanal hat keine Datei geschickt.`,
    overBudget: (name, why) => `Ich kann ${name} nicht speichern: ${why}`,
    diskFull: (name) =>
      `Ich kann ${name} gerade nicht speichern, weil meine Festplatte fast voll ist. Nachrichten erreichen mich weiterhin.`,
  },
  whys,
  kinds,
  links: {
    goodFor: "_Die Links funktionieren 24 Stunden lang._",
    noAddress: "_Diese Dateien lassen sich hier nicht öffnen, weil dieses Mooring keine öffentliche Adresse hat._",
    revoked: "_Die Links zu diesen Dateien wurden widerrufen._",
    revokeButton: "Links widerrufen",
    empty: (name) => `${name} (eine leere Datei)`,
    gone: (name) => `${name} (nicht mehr verfügbar)`,
  },
  consent: {
    gone: "Diese Datei ist nicht mehr verfügbar. Bitte noch einmal um sie.",
    goneNamed: (name) => `${name} ist nicht mehr verfügbar. Bitte noch einmal darum.`,
    declined: (name) => `Du hast ${name} abgelehnt.`,
  },
};
