import { z } from "zod";

/** A stored file. Journal, history and replies have references only, so they stay small. */
export const FileRef = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  mediaType: z.string(),
  /** The size. */
  bytes: z.int().nonnegative(),
});
export type FileRef = z.infer<typeof FileRef>;

/** A reply has at most this many files, and this many bytes of them. */
export const MAX_REPLY_FILES = 10;
export const MAX_REPLY_FILE_BYTES = 25_000_000;

/** The files that one reply sends, each once, in their order; those beyond the limits are left out. */
export const boundedFiles = (files: readonly FileRef[]): { readonly sent: FileRef[]; readonly left: FileRef[] } => {
  const sent: FileRef[] = [];
  const left: FileRef[] = [];
  let bytes = 0;
  for (const file of new Map(files.map((each) => [each.id, each])).values()) {
    const fits = sent.length < MAX_REPLY_FILES && bytes + file.bytes <= MAX_REPLY_FILE_BYTES;
    (fits ? sent : left).push(file);
    if (fits) bytes += file.bytes;
  }
  return { sent, left };
};

/** Text that names files, for models and for places where files themselves cannot be shown. */
export const namesOfFiles = (files: readonly Pick<FileRef, "name">[]): string =>
  files.map(({ name }) => name).join(", ");

const MAX_NAME_CHARS = 100;

/** Sanitises a file name: one line, no path, no control or bidi characters, nothing that mark-up uses. */
export const safeFileName = (given: string | undefined): string => {
  const base = (given ?? "").split(/[/\\]/).at(-1) ?? "";
  const clean = base
    .replace(/[\p{C}\p{Zl}\p{Zp}"<>|:*?]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[\s.]+|\s+$/g, "");
  return [...clean].slice(0, MAX_NAME_CHARS).join("") || "file";
};

/** "type/subtype" without parameters; octet-stream if malformed. */
export const safeMediaType = (given: string | undefined): string => {
  const type = (given ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/.test(type)
    ? type
    : "application/octet-stream";
};

/** A size as people read it. */
export const sizeOfFile = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
};
