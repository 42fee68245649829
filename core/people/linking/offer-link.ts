import type { UserMessage } from "../../contract/messages/user-message.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { Store } from "../../contract/ports/store.ts";
import { createOnce } from "../../contract/ports/update.ts";
import { codesIn, linkIdOf, newLinkCode } from "./link-code.ts";
import { changeLink, changeTries, linkKey, sideOf, takeTry } from "./link-record.ts";

/** Validity of a code, and then of its confirmation. */
export const LINK_TTL_MS = 10 * 60_000;

/** Creates a code for an account and voids its older codes. */
export const offerLink = async (store: Store, message: UserMessage, now: number): Promise<string | "too-many"> => {
  const { tenant, id: messageId } = message;
  const issuer = sideOf(message);
  const address = { tenant, channel: issuer.channel, accountId: issuer.accountId };
  if (!(await takeTry(store, address, "offersAt", now))) return "too-many";
  for (;;) {
    const code = newLinkCode();
    const linkId = linkIdOf(tenant, code);
    const expiresAt = isoTime(now + LINK_TTL_MS);
    const offered = { id: linkId, tenant, state: "offered" as const, issuer, expiresAt };
    // Another account has this code: take the next one.
    if ((await createOnce(store, linkKey(tenant, linkId), offered)) === undefined) continue;
    const { open } = await changeTries(store, address, (tries) => {
      // A redelivered message may already have shown a code, which must stay valid.
      const kept = tries.open?.messageId === messageId ? tries.open.linkIds : [];
      return { ...tries, open: { messageId, linkIds: [...kept, linkId] } };
    });
    if (open && open.messageId !== messageId) for (const older of open.linkIds) await voidLink(store, tenant, older);
    return code;
  }
};

/** Voids a link that is not complete yet. */
const voidLink = async (store: Store, tenant: string, linkId: string): Promise<void> => {
  await changeLink(store, { tenant, linkId }, (link) =>
    link.state === "offered" || link.state === "claimed" ? { ...link, state: "void" } : link,
  );
};

/** Voids every code in a message of a shared conversation, because other people can read it (I1). */
export const revokeExposedCodes = async (store: Store, message: UserMessage): Promise<void> => {
  const { tenant, text } = message;
  const codes = new Set(
    [...codesIn(text), ...codesIn(message.kind === "command" ? message.command.args : "")].slice(0, MAX_REVOKED),
  );
  for (const code of codes) await voidLink(store, tenant, linkIdOf(tenant, code));
};

/** Bounds the store writes that one message can cause. */
const MAX_REVOKED = 10;
