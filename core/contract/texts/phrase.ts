/** The translation of a short English phrase that is stored or comes from code; details after a colon are left out. */
export const phrase = (list: Readonly<Record<string, string>>, english: string): string =>
  list[english] ?? list[String(english).split(":")[0] ?? ""] ?? english;
