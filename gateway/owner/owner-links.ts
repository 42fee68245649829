import { hash, randomBytes } from "node:crypto";
import { z } from "zod";
import { type Clock, isoTime } from "../../core/contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../../core/contract/ports/store.ts";
import { createOnce, update } from "../../core/contract/ports/update.ts";

export const LINK_TTL_MINUTES = 15;
const LINK_TTL_MS = LINK_TTL_MINUTES * 60_000;

/** A one-time link. Only hashes are stored: a reader of the store cannot use it. */
const OwnerLink = z.looseObject({
  expiresAt: z.iso.datetime(),
  /** The browser that has used it. */
  usedBy: z.string().optional(),
});

const links = collection("owner-links", OwnerLink, { ttlMs: 2 * LINK_TTL_MS });
const linkKey = (code: string) => keyOf(links, hashOf(code));
const hashOf = (value: string): string => hash("sha256", `mooring-owner-link ${value}`, "hex");

interface LinkDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Creates a link that makes a browser the owner's. The code is in the fragment, which browsers send neither to servers
 * nor in the Referer header, so no access log has it.
 */
export const createOwnerLink = async ({ store, clock }: LinkDeps, publicUrl: string): Promise<string> => {
  const code = randomBytes(24).toString("base64url");
  await createOnce(store, linkKey(code), { expiresAt: isoTime(clock.now() + LINK_TTL_MS) });
  return `${publicUrl}/#owner=${code}`;
};

/** Uses up a link by compare-and-set, on any gateway. The same browser may repeat it until it expires. */
export const redeemOwnerLink = async ({ store, clock }: LinkDeps, code: string, browser: string): Promise<boolean> => {
  const by = hashOf(browser);
  const { after } = await update(store, linkKey(code), (link) => {
    if (link === undefined || link.usedBy !== undefined || Date.parse(link.expiresAt) <= clock.now()) return link;
    return { ...link, usedBy: by };
  });
  return after?.usedBy === by && Date.parse(after.expiresAt) > clock.now();
};
