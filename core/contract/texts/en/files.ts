/** Files that people send, and files that the agent sends. */
const READABLE =
  "images (PNG, JPEG, GIF, WebP), PDF, Word, Excel, PowerPoint and OpenDocument files, and plain text such as CSV, " +
  "Markdown and code";

const withArticle = (label: string): string => `${/^[aeiou]/i.test(label) ? "an" : "a"} ${label}`;

export const files = {
  /** Why a file cannot be read. The key and the values are stored, so all values are texts. */
  problems: {
    late: (name: string) => `I could not get ${name} in time. Please send it again.`,
    expired: (name: string) => `${name} has expired. Please send it again.`,
    noImages: (name: string) => `I cannot look at images (${name}): my model reads text only.`,
    imageTooLarge: (name: string, size: string, max: string) =>
      `${name} is too large for me to look at: it has ${size}, and I can look at images of up to ${max}.`,
    unreadable: (name: string) => `I cannot read ${name}.`,
    noFiles: (name: string) => `I cannot read files on this channel (${name}).`,
    tooMany: (name: string, max: string) => `I read at most ${max} files of one message, so I have not read ${name}.`,
    failedOften: (name: string) => `I cannot read ${name}: reading it failed several times.`,
    tooLarge: (name: string, max: string) => `I cannot read ${name}: it is larger than ${max}.`,
    unknownKind: (name: string) => `I cannot read this kind of file (${name}): I can read ${READABLE}.`,
    otherKind: (name: string, kind: string) =>
      `I cannot read this kind of file (${name}, ${withArticle(kind)}): I can read ${READABLE}.`,
    because: (name: string, why: string) => `I cannot read ${name}: the file ${why}.`,
    gone: (name: string) => `I could not get ${name}: it no longer exists where it was sent. Please send it again.`,
    forbidden: (name: string) =>
      `I could not get ${name}: I am not allowed to fetch it. The operator finds the reason in the log.`,
    unknown: (name: string) => `I could not get ${name}: the channel does not know it. Please send it again.`,
    unavailable: (name: string) =>
      `I could not get ${name}: the server that has it does not answer. Please send it again later.`,
    noFile: (name: string) => `I could not get ${name}: the channel sent no file.`,
    overBudget: (name: string, why: string) => `I cannot store ${name}: ${why}`,
    diskFull: (name: string) => `I cannot store ${name} now, because my disk is nearly full. Messages still reach me.`,
  },
  /** The faults of a file, in words that follow "the file". */
  whys: {
    "is empty": "is empty",
    "is damaged": "is damaged",
    "is damaged or incomplete": "is damaged or incomplete",
    "is protected with a password": "is protected with a password",
    "is compressed in an unusual way": "is compressed in an unusual way",
    "has no text": "has no text",
    "has no text, perhaps it is a scan": "has no text, perhaps it is a scan",
    "has too many parts": "has too many parts",
    "unpacks to too much data": "unpacks to too much data",
    "takes too long to read": "takes too long to read",
    "needs too much memory": "needs too much memory",
    "is no longer needed": "is no longer needed",
    "cannot be read": "cannot be read",
  },
  /** Kinds of files that cannot be read. */
  kinds: {
    "ZIP archive": "ZIP archive",
    "old or protected Office document": "old or protected Office document",
    "HEIC image": "HEIC image",
    "HEIF image": "HEIF image",
    "AVIF image": "AVIF image",
    "BMP image": "BMP image",
    "TIFF image": "TIFF image",
    "video or sound": "video or sound",
    sound: "sound",
    "compressed archive": "compressed archive",
    program: "program",
    "RTF document": "RTF document",
  },
  links: {
    goodFor: "_Links work for 24 hours._",
    noAddress: "_These files cannot be opened here, because this Mooring has no public address._",
    revoked: "_The links to these files were revoked._",
    revokeButton: "Revoke links",
    empty: (name: string) => `${name} (an empty file)`,
    gone: (name: string) => `${name} (no longer available)`,
  },
  /** Cards of Teams that ask before they store a file. */
  consent: {
    gone: "This file is no longer available. Ask for it again.",
    goneNamed: (name: string) => `${name} is no longer available. Ask for it again.`,
    declined: (name: string) => `You declined ${name}.`,
  },
};
