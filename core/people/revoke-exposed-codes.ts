import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { codesIn, linkIdOf } from "./link-code.ts";
import { voidLink } from "./offer-link.ts";

/** A code that others can read is good for nothing any more, however it got there (I1). */
export const revokeExposedCodes = async (
  store: Store,
  { tenant, conversation, text, command }: UserMessage,
): Promise<void> => {
  if (conversation.kind !== "shared") return;
  const codes = new Set([...codesIn(text), ...codesIn(command?.args ?? "")].slice(0, MOST));
  for (const code of codes) await voidLink(store, tenant, linkIdOf(tenant, code));
};

/** Nobody shows more by accident. */
const MOST = 10;
