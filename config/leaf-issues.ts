import type { z } from "zod";
import type { KeyPath } from "./key-path.ts";

export type Issue = z.core.$ZodIssue;

export interface LeafIssue {
  /** From the top of the file. */
  readonly path: KeyPath;
  readonly issue: Issue;
}

/** The issues that people can do something about: where a schema has alternatives, those of the one that was meant. */
export const leafIssues = (issues: readonly Issue[], at: KeyPath = []): LeafIssue[] =>
  issues.flatMap((issue) => {
    const path = [...at, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
    if (issue.code === "invalid_key" || issue.code === "invalid_element") return leafIssues(issue.issues, path);
    const meant = issue.code === "invalid_union" ? likeliest(issue.errors) : undefined;
    return meant === undefined ? [{ path, issue }] : leafIssues(meant, path);
  });

/** The alternative whose kind of value was written, and of several the one that fits best. */
const likeliest = (alternatives: readonly (readonly Issue[])[]): readonly Issue[] | undefined =>
  alternatives
    .filter((issues) => !issues.some(isOtherKind))
    .sort((a, b) => a.length - b.length)
    .at(0);

const isOtherKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value");
