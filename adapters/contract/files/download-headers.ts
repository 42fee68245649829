import type { FileRef } from "../../../core/contract/file-ref.ts";

/** Types that are safe to serve as declared; all others are served as octet-stream. */
const SAFE_TYPES: Readonly<Record<string, string>> = {
  "image/png": "image/png",
  "image/jpeg": "image/jpeg",
  "image/gif": "image/gif",
  "image/webp": "image/webp",
  "application/pdf": "application/pdf",
  "text/plain": "text/plain; charset=utf-8",
};

/** The headers of a file that is downloaded and never rendered as a page of this site. */
export const downloadHeaders = ({
  name,
  mediaType,
  bytes,
}: Pick<FileRef, "name" | "mediaType" | "bytes">): Record<string, string> => ({
  "content-length": String(bytes),
  "content-type": SAFE_TYPES[mediaType] ?? "application/octet-stream",
  "content-disposition": `attachment; filename="${name.replace(/[^\x20-\x7e]|["\\%]/g, "_")}"; filename*=UTF-8''${percentEncoded(name)}`,
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "referrer-policy": "no-referrer",
  "cache-control": "private, no-store",
});

const percentEncoded = (name: string): string =>
  encodeURIComponent(name.replace(/\p{Surrogate}/gu, "_")).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
