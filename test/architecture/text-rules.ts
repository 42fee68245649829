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

export const environmentInOnePlace: Rule = (files) =>
  files
    .filter((file) => !isTest(file) && file.path !== "config/load-config.ts")
    .filter((file) =>
      /\bprocess\s*(\.|\?\.)\s*env\b|\bprocess\s*\[|\}\s*=\s*process\b|["']node:process["']/.test(file.text),
    )
    .map((file) => `${file.path} reads the environment; only config/load-config.ts may`);

/** Known before their adapters are there, so that the rule is too. */
const PLATFORMS = ["slack", "discord", "teams", "web"];

const platformsOf = (files: readonly SourceFile[]): string[] => {
  const folders = files.flatMap((file) => /^adapters\/(\w+)\//.exec(file.path)?.[1] ?? []);
  return [...new Set([...PLATFORMS, ...folders])].filter((name) => name !== "contract");
};

/** Nobody asks which channel it is: not by comparing, and in core and in other adapters not by naming it at all. */
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

/** Whoever measures how long a comparison takes learns a secret letter by letter. */
export const secretsInConstantTime: Rule = (files) =>
  files
    .filter((file) => !isTest(file) && /^(adapters|core|gateway)\//.test(file.path))
    .flatMap((file) =>
      [...file.text.matchAll(COMPARISON)].map(([text, ...sides]) => ({ path: file.path, text, sides })),
    )
    .filter(({ sides }) => sides.some((side) => IS_SECRET.test(side)) && !sides.some((side) => IS_PLAIN.test(side)))
    .map(({ path, text }) => `${path}: "${text}" compares a secret: use timingSafeEqual`);
