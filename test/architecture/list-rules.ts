import { posix } from "node:path";
import { isTest, type Rule, type SourceFile } from "./source-file.ts";

/** A kind of thing that contributors add. A new member is one file or folder of its own, and one entry of the list. */
export interface Kind {
  /** The one file that lists all members. */
  readonly list: string;
  /** The file or folder that belongs to a member, by the file that the list imports; undefined: not a member. */
  homeOf(target: string): string | undefined;
  /** The files that hold a member, if their names show it: the list must import each. */
  readonly isMemberFile?: RegExp;
  /** Names that stand for a member in code and prompts, e.g. of a tool. */
  readonly names?: readonly string[];
  /** The names are common words, so that only an array of several of them counts. */
  readonly areWords?: boolean;
  /** Files that may name members although they belong to none, each with its reason. */
  readonly mayName?: Readonly<Record<string, string>>;
}

interface Member {
  readonly exported: string;
  readonly target: string;
  readonly home: string;
}

/** The product files outside the members' own that import or name a member: only the list. */
export const placesThatList = (kind: Kind, files: readonly SourceFile[]): string[] => {
  const list = files.find(({ path }) => path === kind.list);
  if (list === undefined) return [`${kind.list} is missing`];
  const members = namesImportedBy(list).flatMap(({ exported, target }): Member[] => {
    const home = kind.homeOf(target);
    return home === undefined ? [] : [{ exported, target, home }];
  });
  const homes = homesOfNames(kind, members, files);
  const exempt = Object.keys(kind.mayName ?? {});
  return files
    .filter((file) => !isTest(file) && file.path.includes("/"))
    .filter((file) => {
      if (namesImportedBy(file).some((one) => members.some((member) => isForeign(file, one, member)))) return true;
      if (exempt.some((path) => file.path.startsWith(path))) return false;
      return kind.areWords
        ? hasArrayOf(file, kind.names ?? [])
        : [...homes].some(([name, home]) => !isIn(file.path, home) && named(name).test(file.text));
    })
    .map(({ path }) => path);
};

/** Files that look like a member and that the list does not import. */
export const unlisted = (kind: Kind, files: readonly SourceFile[]): string[] => {
  const list = files.find(({ path }) => path === kind.list);
  const listed = list === undefined ? [] : namesImportedBy(list).map(({ target }) => target);
  return files
    .map(({ path }) => path)
    .filter((path) => kind.isMemberFile?.test(path) && path !== kind.list && !listed.includes(path));
};

/**
 * Intake depends on turn sources, not on features: it imports no feature, and tests for no type of turn except new
 * work.
 */
export const intakeNamesNoFeature: Rule = (files) =>
  files
    .filter(({ path }) => path.startsWith("core/intake/"))
    .filter(
      (file) =>
        /from "\.\.\/(a2a|schedules|subtasks|workspaces)\//.test(file.text) ||
        /\btype\s*[=!]==\s*"(?!task")[\w-]+"/.test(file.text),
    )
    .map(({ path }) => `${path} names a feature; let its turn source do that`);

const isForeign = (file: SourceFile, imported: Omit<Member, "home">, { exported, home }: Member): boolean =>
  imported.exported === exported && isIn(imported.target, home) && !isIn(file.path, home);

/** A name belongs to the member whose file spells it first. */
const homesOfNames = (kind: Kind, members: readonly Member[], files: readonly SourceFile[]): Map<string, string> => {
  const textOf = new Map(files.map(({ path, text }) => [path, text]));
  const spelled = (kind.names ?? []).map((name) => {
    const owner = members.find(({ target }) => textOf.get(target)?.includes(`"${name}"`));
    return [name, owner?.home ?? "nowhere"] as const;
  });
  return new Map(spelled);
};

const named = (name: string): RegExp => new RegExp(name.includes("_") ? `\\b${name}\\b` : `["'\`]${name}["'\`]`);

const MIN_OF_A_LIST = 3;

const hasArrayOf = ({ text }: SourceFile, names: readonly string[]): boolean =>
  [...text.matchAll(/\[((?:\s*["'`][\w-]+["'`]\s*,?)+)\]/g)].some(([, items = ""]) => {
    const found = [...items.matchAll(/["'`]([\w-]+)["'`]/g)].filter(([, item = ""]) => names.includes(item));
    return found.length >= MIN_OF_A_LIST;
  });

const isIn = (path: string, home: string): boolean => path === home || path.startsWith(`${home}/`);

/** The values that a file imports, or exports from another file. */
const namesImportedBy = (file: SourceFile): Omit<Member, "home">[] =>
  [...file.text.matchAll(/^(?:import|export)\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)"/gm)].flatMap(
    ([, list = "", path = ""]) =>
      list
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => ({
          exported: name.replace(/\s+as\s+.*$/, ""),
          target: posix.join(posix.dirname(file.path), path),
        })),
  );
