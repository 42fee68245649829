import { valueAt } from "../../config/file/index.ts";
import { type Config, spellPath } from "../../config/index.ts";
import { Secret } from "../../core/contract/secret.ts";
import type { AnswerTo } from "../admin-api/index.ts";
import { usualEffect } from "../reload/index.ts";

type Shown = AnswerTo<"GET configuration">["settings"][number];
type KeyPath = Shown["keys"];

const MASK = "••••••";
const MAX_TEXT_CHARS = 80;
/** Maps whose values often are secrets, although the schema does not know it. */
const PRIVATE_KEY = /token|secret|password|key|authorization|credential|cookie|^env$|^headers$|^args$/i;

/** The file as it is now; the settings in force may come from an earlier state of it. */
interface FileNow {
  readonly config: Config;
  sourceOf(path: KeyPath): string;
}

/** The settings in force, one for each value. `file`: undefined if it is not valid. */
export const shownSettings = (config: Config, file: FileNow | undefined, mayChange: boolean): Shown[] =>
  leavesOf(config, []).map(({ path, value }) => {
    const isAsInFile = file !== undefined && JSON.stringify(valueAt(file.config, path)) === JSON.stringify(value);
    const source = file?.sourceOf(path) ?? "unknown";
    return shown(path, value, isAsInFile ? source : `earlier ${source}`, mayChange && isAsInFile);
  });

/** Numbers are limits, durations and prices. Texts may name programs, addresses and rights, which the file decides. */
const isChangeable = (path: KeyPath, value: unknown, source: string): boolean =>
  usualEffect(path) !== "process" &&
  (source === "file" || source === "default") &&
  (typeof value === "number" || isLogLevel(path));

const isLogLevel = (path: KeyPath): boolean => path.length === 1 && path[0] === "logLevel";

const shown = (keys: KeyPath, value: unknown, source: string, mayChange: boolean): Shown => ({
  path: spellPath(keys),
  keys: mayChange && isChangeable(keys, value, source) ? keys : [],
  value: shownValue(keys, value, source),
  source,
  effect: usualEffect(keys),
  canChange: mayChange && isChangeable(keys, value, source),
});

const shownValue = (path: KeyPath, value: unknown, source: string): Shown["value"] => {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  // A value from the environment or a secret file may be a secret, even where the schema expects a text.
  const isPlain = source === "file" || source === "default";
  const isPrivate = !isPlain || path.some((key) => typeof key === "string" && PRIVATE_KEY.test(key));
  if (value instanceof Secret || isPrivate) return MASK;
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  // An address may contain a password or a key in its query.
  if (/:\/\/[^/]*@|[?&][^=]+=/.test(text)) return MASK;
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
};

interface Leaf {
  readonly path: KeyPath;
  readonly value: unknown;
}

const leavesOf = (value: unknown, path: KeyPath): Leaf[] => {
  // Loaded code, not a setting.
  if (path.length === 1 && path[0] === "adapters") return [];
  if (value === undefined || typeof value === "function") return [];
  if (Array.isArray(value))
    return value.every((item) => typeof item !== "object" || item === null)
      ? [{ path, value }]
      : value.flatMap((item, index) => leavesOf(item, [...path, index]));
  const isMap = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (isMap) return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
  return [{ path, value }];
};
