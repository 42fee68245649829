import { createHash } from "node:crypto";
import type { ToolContext } from "../contract/tool.ts";

/** The same tool call always means the same message to another agent. */
export const callIdOf = ({
  tenant,
  agent,
  idempotencyKey,
}: Pick<ToolContext, "tenant" | "agent" | "idempotencyKey">): string => {
  const digest = createHash("sha256").update(JSON.stringify([tenant, agent, idempotencyKey]));
  return `call-${digest.digest("hex").slice(0, 12)}`;
};
