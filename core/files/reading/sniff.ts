/** The type of a file by its bytes; its name and its declared type can be wrong. */
export interface FileType {
  readonly kind: "image" | "pdf" | "zip" | "text" | "unreadable";
  readonly mediaType: string;
  /** For people and models, such as "PDF" or "PNG image". */
  readonly label: string;
}

const image = (mediaType: string, label: string): FileType => ({ kind: "image", mediaType, label: `${label} image` });
const unreadable = (mediaType: string, label: string): FileType => ({ kind: "unreadable", mediaType, label });

const PDF: FileType = { kind: "pdf", mediaType: "application/pdf", label: "PDF" };

/** First bytes, as Latin-1 text, with the offset at which they stand. */
const signatures: readonly [bytes: string, offset: number, type: FileType][] = [
  ["\x89PNG\r\n\x1a\n", 0, image("image/png", "PNG")],
  ["\xff\xd8\xff", 0, image("image/jpeg", "JPEG")],
  ["GIF87a", 0, image("image/gif", "GIF")],
  ["GIF89a", 0, image("image/gif", "GIF")],
  ["WEBP", 8, image("image/webp", "WebP")],
  ["%PDF-", 0, PDF],
  ["PK\x03\x04", 0, { kind: "zip", mediaType: "application/zip", label: "ZIP archive" }],
  ["\xd0\xcf\x11\xe0", 0, unreadable("application/x-ole-storage", "old or protected Office document")],
  ["ftypheic", 4, unreadable("image/heic", "HEIC image")],
  ["ftypmif1", 4, unreadable("image/heif", "HEIF image")],
  ["ftypavif", 4, unreadable("image/avif", "AVIF image")],
  ["ftyp", 4, unreadable("video/mp4", "video or sound")],
  ["BM", 0, unreadable("image/bmp", "BMP image")],
  ["II*\0", 0, unreadable("image/tiff", "TIFF image")],
  ["MM\0*", 0, unreadable("image/tiff", "TIFF image")],
  ["ID3", 0, unreadable("audio/mpeg", "sound")],
  ["OggS", 0, unreadable("audio/ogg", "sound")],
  ["WAVE", 8, unreadable("audio/wav", "sound")],
  ["\x1f\x8b", 0, unreadable("application/gzip", "compressed archive")],
  ["7z\xbc\xaf", 0, unreadable("application/x-7z-compressed", "compressed archive")],
  ["Rar!", 0, unreadable("application/vnd.rar", "compressed archive")],
  ["\x7fELF", 0, unreadable("application/x-executable", "program")],
  ["MZ", 0, unreadable("application/x-msdownload", "program")],
  ["{\\rtf", 0, unreadable("application/rtf", "RTF document")],
];

const HEAD_BYTES = 1_024;

export const sniff = (bytes: Uint8Array): FileType => {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const found = signatures.find(([signature, offset]) => head.startsWith(signature, offset));
  // Short signatures of letters also begin texts.
  const isSure = found !== undefined && !(/^[A-Z]{2}$/.test(found[0]) && decodeText(bytes) !== undefined);
  if (isSure) return found[2];
  const text = decodeText(bytes);
  // Readers accept other bytes before the header.
  if (text === undefined && head.includes("%PDF-")) return PDF;
  if (text === undefined) return unreadable("application/octet-stream", "file of an unknown kind");
  return /^\s*<(!doctype html|html)[\s>]/i.test(text.slice(0, HEAD_BYTES))
    ? { kind: "text", mediaType: "text/html", label: "HTML text" }
    : { kind: "text", mediaType: "text/plain", label: "text" };
};

/** Undefined: the bytes are not text. Spreadsheet programs still write Windows-1252, so that is the last attempt. */
export const decodeText = (bytes: Uint8Array): string | undefined => {
  for (const charset of charsetsOf(bytes)) {
    try {
      const text = new TextDecoder(charset, { fatal: true }).decode(bytes);
      if (looksLikeText(text)) return text;
    } catch {
      // The next character set may fit.
    }
  }
  return undefined;
};

const charsetsOf = ([first, second]: Uint8Array): readonly string[] => {
  if (first === 0xff && second === 0xfe) return ["utf-16le"];
  if (first === 0xfe && second === 0xff) return ["utf-16be"];
  return ["utf-8", "windows-1252"];
};

const SAMPLE_CHARS = 100_000;

const looksLikeText = (text: string): boolean => {
  if (text.includes("\0")) return false;
  const sample = text.slice(0, SAMPLE_CHARS);
  const controls = sample.match(/[^\P{Cc}\s]/gu)?.length ?? 0;
  return controls * 100 <= sample.length;
};
