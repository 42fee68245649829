import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { AppError } from "../../../core/contract/app-error.ts";
import { tooCostlyToParse } from "./parsing-cost.ts";

/** Writers recurse once per level; this is far below the stack limit. */
const MAX_DEPTH = 48;

/**
 * Parses GFM in time that grows with the length of the text. Throws if a text is too costly to parse or nested too
 * deeply to render; the gateway then sends it as plain text (`NotDrawn`).
 */
export const parseMarkdown = (markdown: string): Root => {
  const why = tooCostlyToParse(markdown);
  if (why !== undefined) throw new AppError("bad-input", `the text cannot be drawn: ${why}`);
  const root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  if (depthOf(root) > MAX_DEPTH) throw new AppError("bad-input", "the text cannot be drawn: nested too deeply");
  return root;
};

/** Breadth-first, because a recursion could overflow the stack. */
const depthOf = (root: Root): number => {
  let depth = 0;
  let level: readonly Nodes[] = [root];
  while (level.length > 0 && depth <= MAX_DEPTH) {
    depth++;
    level = level.flatMap((node): readonly Nodes[] => ("children" in node ? node.children : []));
  }
  return depth;
};
