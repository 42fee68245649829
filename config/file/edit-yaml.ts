import { isMap, isScalar, parseDocument } from "yaml";
import type { KeyPath } from "../problems/problem.ts";

/**
 * The text with another value at a path. A value that is in the file is replaced in place, so that comments and layout
 * stay as they are; another one is added to its map.
 */
export const editYaml = (text: string, path: KeyPath, value: string | number): string => {
  const document = parseDocument(text, { prettyErrors: false });
  const node = document.getIn(path, true);
  const written = typeof value === "number" ? String(value) : JSON.stringify(value);
  if (isScalar(node) && node.range) {
    const [start, end] = node.range;
    return `${text.slice(0, start)}${written}${text.slice(end)}`;
  }
  const [key, ...rest] = path;
  const isBlock = isMap(document.contents) && document.contents.flow !== true;
  if (rest.length === 0 && isBlock) return `${text.replace(/\n*$/, "\n")}${key}: ${written}\n`;
  document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
};
