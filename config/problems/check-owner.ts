import type { AdapterCatalogue } from "../foreign/foreign-adapter.ts";
import { fixedAccount, isObject, namedAccounts, objectAt } from "../schema/owner-access.ts";
import { type Problem, valueAt } from "./problem.ts";

/** Settings that contradict personal mode. */
export function* checkOwner(root: unknown, adapters: AdapterCatalogue): Generator<Problem> {
  const owner = objectAt(root, "owner");
  if (owner === undefined) return;
  const named = namedAccounts(owner);
  for (const [channel, settings] of Object.entries(objectAt(root, "channels") ?? {})) {
    if (!isObject(settings)) continue;
    const path = ["owner", "accounts", channel];
    const isFixed = fixedAccount(settings.adapter, adapters) !== undefined;
    if (isFixed && named[channel] !== undefined)
      yield { path, message: "is not needed: this channel recognises the owner by the owner secret; remove it" };
    if (!isFixed && named[channel] === undefined && isKnown(settings.adapter, adapters))
      yield {
        path,
        message: "is missing: set your account id on this channel, else you could not talk to the agent there",
      };
    const others = valueAt(root, ["channels", channel, "access", "accounts"]);
    const isOwn = Array.isArray(others) && others.every((account) => !isFixed && account === named[channel]);
    if (others !== undefined && !isOwn)
      yield {
        path: ["channels", channel, "access", "accounts"],
        message: "contradicts owner, who is the only one who may talk to the agent: remove it, or remove owner",
      };
  }
}

const isKnown = (adapter: unknown, adapters: AdapterCatalogue): boolean =>
  typeof adapter === "string" && adapters.get(adapter) !== undefined;
