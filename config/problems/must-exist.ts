import { suggest } from "../../core/contract/suggest.ts";
import type { KeyPath, Problem } from "./problem.ts";

/** Reports a name that refers to something that the file does not have. */
export function* mustExist(
  path: KeyPath,
  kind: string,
  name: string | undefined,
  known: readonly string[],
): Generator<Problem> {
  if (name === undefined || known.includes(name)) return;
  const meant = suggest(name, known);
  const advice =
    meant === undefined ? `add it, or name one of: ${known.join(", ") || "(none yet)"}` : `did you mean "${meant}"?`;
  yield { path, message: `names ${kind === "agent" ? "an" : "a"} ${kind} that is not in this file; ${advice}` };
}
