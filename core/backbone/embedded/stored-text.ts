import { encodeToken } from "../../contract/token.ts";

/** SQLite's text ends at NUL, and UTF-8 has no lone surrogates; "=" begins what is encoded. */
const PLAIN = /^[^=\0\p{Surrogate}][^\0\p{Surrogate}]*$/u;

/** An id or a key as the file holds it: as it is, if it can. `decodeToken` reads it. */
export const toStoredText = (raw: string): string => (PLAIN.test(raw) ? raw : encodeToken(raw));
