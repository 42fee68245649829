import path from "node:path";

export interface SourceFile {
  /** From the root, with "/". */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** "core/contract/ports/bus.ts" for a relative one, else the package or module as written. */
  readonly target: string;
  readonly kind: "relative" | "package" | "computed";
  /** Erased when compiled. */
  readonly typeOnly: boolean;
  /** Loaded when the code runs, with `import()`. */
  readonly isLazy: boolean;
}

/** A rule returns one line for each violation. */
export type Rule = (files: readonly SourceFile[]) => string[];

const STATIC = /^[ \t]*(import|export)\b(\s+type\b)?[^"'`;]*?(?:\bfrom\s*)?["']([^"']+)["']/gm;
const DYNAMIC = /\b(?:import|require)\s*\(\s*(?:["']([^"']+)["']|([^)"'\s]))/g;

export const importsOf = (file: SourceFile): Import[] => [
  ...[...file.text.matchAll(STATIC)]
    .filter(([whole, keyword]) => keyword === "import" || /\bfrom\s*["']/.test(whole))
    .map(([, , type, specifier]) => importOf(file, specifier ?? "", { typeOnly: type !== undefined, isLazy: false })),
  ...[...file.text.matchAll(DYNAMIC)].map(([, specifier]) =>
    specifier === undefined
      ? { target: "", kind: "computed" as const, typeOnly: false, isLazy: true }
      : importOf(file, specifier, { typeOnly: false, isLazy: true }),
  ),
];

const importOf = (file: SourceFile, specifier: string, how: Pick<Import, "typeOnly" | "isLazy">): Import =>
  specifier.startsWith(".")
    ? { target: path.posix.join(path.posix.dirname(file.path), specifier), kind: "relative", ...how }
    : { target: specifier, kind: "package", ...how };

export const isTest = (file: SourceFile): boolean => file.path.startsWith("test/");
