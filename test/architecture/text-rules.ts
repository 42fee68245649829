import path from "node:path";
import { isTest, type Rule, type SourceFile } from "./source-file.ts";

const BANNED = /(^|-)(utils?|helpers?|misc|manager)$|^(common|types)$/;

/** If a file needs such a name, its concept has no name yet. */
export const noBannedNames: Rule = (files) =>
  files
    .filter((file) => file.path.split("/").some((part) => BANNED.test(path.parse(part).name)))
    .map((file) => `${file.path}: name it after what it holds`);

const MAX_LINES = 300;
const MAX_TEST_LINES = 500;

export const noLongFiles: Rule = (files) =>
  files.flatMap((file) => {
    const lines = file.text.replace(/\n$/, "").split("\n").length;
    const most = isTest(file) ? MAX_TEST_LINES : MAX_LINES;
    return lines > most ? [`${file.path} has ${lines} lines; ${most} is the most`] : [];
  });

const MAX_FILES = 15;

/** The face of a folder counts as well. Tests may mirror several folders in one. */
export const noCrowdedFolders: Rule = (files) => {
  const counts = new Map<string, number>();
  for (const file of files) {
    if (isTest(file)) continue;
    const folder = path.dirname(file.path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => `${folder} has ${count} files; ${MAX_FILES} is the most: sort them into folders`);
};

export const environmentInOnePlace: Rule = (files) =>
  files
    .filter((file) => !isTest(file) && file.path !== "config/load-config.ts")
    .filter((file) =>
      /\bprocess\s*(\.|\?\.)\s*env\b|\bprocess\s*\[|\}\s*=\s*process\b|["']node:process["']/.test(file.text),
    )
    .map((file) => `${file.path} reads the environment; only config/load-config.ts may`);

/** Listed before their adapters exist, so that the rule covers them from the beginning. */
const PLATFORMS = ["slack", "discord", "teams", "web"];

const platformsOf = (files: readonly SourceFile[]): string[] => {
  const folders = files.flatMap((file) => /^adapters\/(\w+)\//.exec(file.path)?.[1] ?? []);
  return [...new Set([...PLATFORMS, ...folders])].filter((name) => name !== "contract");
};

/**
 * Code asks for capabilities: it does not compare the name of a channel, and core and other adapters do not name it at
 * all.
 */
export const noPlatformQuestions: Rule = (files) =>
  platformsOf(files).flatMap((platform) => {
    const literal = `["'\`]${platform}["'\`]`;
    const compared = new RegExp(
      `[=!]==?\\s*${literal}|${literal}\\s*[=!]==?|\\bcase\\s+${literal}|With\\(\\s*${literal}`,
    );
    const named = new RegExp(literal);
    return files
      .filter((file) => !isTest(file) && !file.path.startsWith(`adapters/${platform}/`))
      .filter((file) => (/^(core|adapters)\//.test(file.path) ? named : compared).test(file.text))
      .map((file) => `${file.path} asks for "${platform}": ask capabilities instead`);
  });

const COMPARISON = /(?<!typeof )(?<![\w.#])([\w.#]+(?:\(\))?)\s*[=!]==?\s*([\w.#]+(?:\(\))?|["'`])/g;
const IS_SECRET = /(?:\breveal\(\)|[sS]ignature|[hH]mac|\bmac|[dD]igest|[sS]ecret|[pP]assword|[tT]oken)$/;
const IS_PLAIN = /^(?:undefined|null|\d|["'`])/;

/** The duration of a plain comparison reveals a secret character by character. */
export const secretsInConstantTime: Rule = (files) =>
  files
    .filter((file) => !isTest(file) && /^(adapters|core|gateway)\//.test(file.path))
    .flatMap((file) =>
      [...file.text.matchAll(COMPARISON)].map(([text, ...sides]) => ({ path: file.path, text, sides })),
    )
    .filter(({ sides }) => sides.some((side) => IS_SECRET.test(side)) && !sides.some((side) => IS_PLAIN.test(side)))
    .map(({ path, text }) => `${path}: "${text}" compares a secret: use timingSafeEqual`);

/** Files that turn one lost race into another result, without a second attempt at the same key. */
const MAY_CATCH_CONFLICT = new Set([
  "core/contract/ports/update.ts",
  "core/intake/handle-user-message.ts",
  "core/schedules/due-watch.ts",
  "core/subtasks/run/handle-subtask-run.ts",
  "gateway/relay/channel-lease.ts",
  "gateway/relay/sending/ledger.ts",
  "adapters/discord/connection/stored-session.ts",
]);

const CATCHES_CONFLICT = /instanceof\s+RevisionConflict/;
const RETRY_LOOP = /\b(?:for\s*\(\s*(?:;|let\b)|while\s*\(|do\s*\{)/g;
const CONDITIONAL_WRITE = /\bifRevision\b|\bputIfUnchanged\(|\bRevisionConflict\b/;

/** Compare-and-set with retries has one implementation, `update`, which has a bound. The stores themselves may differ. */
export const noHandWrittenUpdates: Rule = (files) =>
  files
    .filter(({ path }) => /^(core|gateway|adapters)\//.test(path) && !path.startsWith("core/backbone/"))
    .flatMap((file) => {
      const isCaught = CATCHES_CONFLICT.test(file.text) && !MAY_CATCH_CONFLICT.has(file.path);
      const isLooped = [...file.text.matchAll(RETRY_LOOP)].some(
        ({ index }) =>
          file.path !== "core/contract/ports/update.ts" && CONDITIONAL_WRITE.test(blockFrom(file.text, index)),
      );
      const problem = `${file.path} handles a lost compare-and-set itself: use update() of core/contract/ports/update.ts`;
      return isCaught || isLooped ? [problem] : [];
    });

/** The text from `start` to the end of the first block after it. */
const blockFrom = (text: string, start: number): string => {
  let depth = 0;
  for (let at = text.indexOf("{", start); at !== -1 && at < text.length; at++) {
    if (text[at] === "{") depth++;
    if (text[at] === "}" && --depth === 0) return text.slice(start, at);
  }
  return text.slice(start);
};
