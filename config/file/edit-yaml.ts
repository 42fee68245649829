import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";
import type { KeyPath } from "../problems/problem.ts";

/**
 * The text with another value at a path. A value that is in the file is replaced in place; another one gets a line of its
 * own, so that comments and layout stay as they are.
 */
export const editYaml = (text: string, path: KeyPath, value: string | number): string => {
  const document = parseDocument(text, { prettyErrors: false });
  const node = document.getIn(path, true);
  const written = typeof value === "number" ? String(value) : JSON.stringify(value);
  if (isScalar(node) && node.range) {
    const [start, end] = node.range;
    return `${text.slice(0, start)}${written}${text.slice(end)}`;
  }
  const { map, missing } = deepestMap((of) => document.getIn(of, true), path);
  const [key = "", ...inner] = missing.map(spellKey);
  const line = `${key}: ${inner.reduceRight((held, each) => `{ ${each}: ${held} }`, written)}`;
  if (map === document.contents && map?.flow !== true) return `${text}${text.endsWith("\n") ? "" : "\n"}${line}\n`;
  const added = map && (map.flow ? addedToFlow(text, map, line) : addedToBlock(text, map, line));
  if (added !== undefined) return added;
  document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
};

/** The innermost map on the path that is in the file, and the keys that it lacks. */
const deepestMap = (nodeAt: (path: KeyPath) => unknown, path: KeyPath) => {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const map = nodeAt(path.slice(0, depth));
    if (isMap(map)) return { map, missing: path.slice(depth) };
    // Only a list can be between the map and the value: a new item has no place in it.
    if (map !== undefined) break;
  }
  return { map: undefined, missing: path };
};

const addedToFlow = (text: string, map: YAMLMap, line: string): string | undefined => {
  const end = endOf(map.items.at(-1));
  return end === undefined ? undefined : `${text.slice(0, end)}, ${line}${text.slice(end)}`;
};

/** Below the last key whose value is on its line, where a comment at the end of that line stays. */
const addedToBlock = (text: string, map: YAMLMap, line: string): string | undefined => {
  const plain = map.items.findLast(
    ({ value }) => isScalar(value) && !/^BLOCK/.test(value.type ?? "") && !textOf(text, value).includes("\n"),
  );
  const [start, end] = [startOf(plain), endOf(plain)];
  if (start === undefined || end === undefined) return undefined;
  const column = start - (text.lastIndexOf("\n", start - 1) + 1);
  const lineEnd = /\r?\n|$/g;
  lineEnd.lastIndex = end;
  const at = lineEnd.exec(text)?.index ?? text.length;
  return `${text.slice(0, at)}\n${" ".repeat(column)}${line}${text.slice(at)}`;
};

const textOf = (text: string, { range }: { range?: [number, number, number] | null }): string =>
  range ? text.slice(range[0], range[1]) : "";

const startOf = (pair: Pair | undefined): number | undefined => (isScalar(pair?.key) ? pair.key.range?.[0] : undefined);

const endOf = (pair: Pair | undefined): number | undefined => {
  const value = pair?.value as { range?: [number, number, number] | null } | null | undefined;
  return value?.range?.[1];
};

const spellKey = (key: string | number): string =>
  typeof key === "string" && /^[a-z]\w*$/i.test(key) && !/^(true|false|null)$/i.test(key) ? key : JSON.stringify(key);
