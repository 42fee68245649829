import { hash, timingSafeEqual } from "node:crypto";
import type { spellPath } from "../../config/index.ts";
import { Secret } from "../../core/contract/secret.ts";

/** From the root of the configuration to a setting. */
export type KeyPath = Parameters<typeof spellPath>[0];

/**
 * The paths of the settings that differ, as deep as possible. A list of another length and an added or removed key
 * count as one setting.
 */
export const changedSettings = (before: unknown, after: unknown, path: KeyPath = []): KeyPath[] => {
  if (Object.is(before, after) || isSameSecret(before, after)) return [];
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) return [path];
  if (Array.isArray(before) && Array.isArray(after) && before.length !== after.length) return [path];
  const steps = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...steps].flatMap((step) => {
    const at = [...path, Array.isArray(before) ? Number(step) : step];
    return changedSettings(Reflect.get(before, step), Reflect.get(after, step), at);
  });
};

/** A copy of `to` with the value that `from` has at the path. Everything else stays the same object. */
export const copySetting = <T>(from: unknown, to: T, path: KeyPath): T => {
  const [step, ...rest] = path;
  if (step === undefined) return from as T;
  const inner = copySetting(valueIn(from, step), valueIn(to, step), rest);
  const copy = (Array.isArray(to) ? [...to] : { ...to }) as T & object;
  if (inner === undefined) Reflect.deleteProperty(copy, step);
  else Reflect.set(copy, step, inner);
  return Object.freeze(copy);
};

const isSameSecret = (before: unknown, after: unknown): boolean =>
  before instanceof Secret && after instanceof Secret && timingSafeEqual(digestOf(before), digestOf(after));

const digestOf = (secret: Secret): Buffer => hash("sha256", secret.reveal(), "buffer");

const valueIn = (tree: unknown, step: string | number): unknown => (isTree(tree) ? Reflect.get(tree, step) : undefined);

/** Values that are not plain objects or lists, such as secrets, are compared as a whole. */
const isTree = (value: unknown): value is object =>
  Array.isArray(value) ||
  (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype);
