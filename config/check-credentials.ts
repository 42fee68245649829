import { z } from "zod";
import { credentialWeakness, MIN_CALLER_SECRET, MIN_OPERATOR_TOKEN } from "./credential-weakness.ts";
import type { KeyPath } from "./key-path.ts";
import type { Problem } from "./problem.ts";

const text = z.string().optional().catch(undefined);

/** Every credential by which others sign in here; the rest of the file may have problems of its own. */
const Outline = z.object({
  admin: z.object({ tokens: z.array(z.object({ token: text }).catch({})).catch([]) }).catch({ tokens: [] }),
  metrics: z.object({ token: text }).catch({}),
  a2a: z
    .object({ callers: z.record(z.string(), z.object({ token: text, apiKey: text }).catch({})).catch({}) })
    .catch({ callers: {} }),
});

/** Credentials that can be guessed: one rule for operators, callers and metrics. */
export const checkCredentials = (root: unknown): Problem[] => {
  const outline = Outline.safeParse(root);
  if (!outline.success) return [];
  const { admin, metrics, a2a } = outline.data;
  const found = (path: KeyPath, credential: string | undefined, minLength: number): Problem[] => {
    const message = credential === undefined ? undefined : credentialWeakness(credential, minLength);
    return message === undefined ? [] : [{ path, message }];
  };
  return [
    ...admin.tokens.flatMap(({ token }, index) =>
      found(["admin", "tokens", index, "token"], token, MIN_OPERATOR_TOKEN),
    ),
    ...found(["metrics", "token"], metrics.token, MIN_OPERATOR_TOKEN),
    ...Object.entries(a2a.callers).flatMap(([name, { token, apiKey }]) => [
      ...found(["a2a", "callers", name, "token"], token, MIN_CALLER_SECRET),
      ...found(["a2a", "callers", name, "apiKey"], apiKey, MIN_CALLER_SECRET),
    ]),
  ];
};
