const MOST_CHARS = 100;

/** A name that people can read and nothing else: one line, no path, no controls, nothing that turns text around. */
export const fileName = (given: string | undefined): string => {
  const base = (given ?? "").split(/[/\\]/).at(-1) ?? "";
  const clean = base
    .replace(/[\p{C}\p{Zl}\p{Zp}"<>|:*?]+/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/^[\s.]+|\s+$/g, "");
  return [...clean].slice(0, MOST_CHARS).join("") || "file";
};
