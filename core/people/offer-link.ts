import { RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { Store } from "../contract/store.ts";
import type { UserMessage } from "../contract/user-message.ts";
import { changeLink } from "./change-link.ts";
import { linkIdOf, newLinkCode } from "./link-code.ts";
import { linkKey, sideOf } from "./link-record.ts";
import { changeTries, takeTry } from "./link-tries.ts";

export const LINK_LIFE_MS = 10 * 60_000;

/** A new code for the account that asks; its older ones no longer work. */
export const offerLink = async (store: Store, message: UserMessage, now: number): Promise<string | "too-many"> => {
  const { tenant, id: messageId } = message;
  const issuer = sideOf(message);
  const address = { tenant, channel: issuer.channel, accountId: issuer.accountId };
  if (!(await takeTry(store, address, "offersAt", now))) return "too-many";
  for (;;) {
    const code = newLinkCode();
    const linkId = linkIdOf(tenant, code);
    const expiresAt = isoTime(now + LINK_LIFE_MS);
    try {
      const offered = { id: linkId, tenant, state: "offered" as const, issuer, expiresAt };
      await store.put(linkKey(tenant, linkId), offered, { ifRevision: 0 });
    } catch (error) {
      if (error instanceof RevisionConflict) continue;
      throw error;
    }
    const { open } = await changeTries(store, address, (tries) => {
      // A repeat of the message may already have shown a code: that one goes on working.
      const kept = tries.open?.messageId === messageId ? tries.open.linkIds : [];
      return { ...tries, open: { messageId, linkIds: [...kept, linkId] } };
    });
    if (open && open.messageId !== messageId) for (const older of open.linkIds) await voidLink(store, tenant, older);
    return code;
  }
};

/** From now on it links nothing, unless it has done so already. */
export const voidLink = async (store: Store, tenant: string, linkId: string): Promise<void> => {
  await changeLink(store, { tenant, linkId }, (link) =>
    link.state === "offered" || link.state === "claimed" ? { ...link, state: "void" } : link,
  );
};
