import { encodeToken } from "../../contract/token.ts";

/** An id or a key as the file holds it: as it is, if it can. `decodeToken` reads it. */
export const toStoredText = (raw: string): string => (isPlain(raw) ? raw : encodeToken(raw));

/** SQLite's text ends at NUL, and UTF-8 has no lone surrogates; "=" begins what is encoded. */
const isPlain = (raw: string): boolean =>
  raw !== "" && !raw.startsWith("=") && !raw.includes("\0") && raw.isWellFormed();
