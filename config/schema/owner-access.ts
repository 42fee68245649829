import type { AdapterCatalogue } from "../foreign/foreign-adapter.ts";

type Named = Readonly<Record<string, unknown>>;

/** The owner's account on each channel: a fixed one where the owner secret identifies them, else the configured one. */
export const ownerAccounts = (
  named: Readonly<Record<string, string>>,
  channels: Readonly<Record<string, { readonly adapter?: unknown }>>,
  adapters: AdapterCatalogue,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(channels).flatMap(([channel, { adapter }]) => {
      const account = fixedAccount(adapter, adapters) ?? named[channel];
      return account === undefined ? [] : [[channel, account]];
    }),
  );

export const fixedAccount = (adapter: unknown, adapters: AdapterCatalogue): string | undefined =>
  typeof adapter === "string" ? adapters.get(adapter)?.definition.ownerAccount : undefined;

/**
 * The file with access for the owner alone on every channel (I1). The rules of each adapter then check it like any other
 * file. Nothing changes without an owner.
 */
export const withOwnerAccess = (root: unknown, adapters: AdapterCatalogue): unknown => {
  const owner = objectAt(root, "owner");
  const channels = objectAt(root, "channels");
  if (owner === undefined || channels === undefined) return root;
  const accounts = ownerAccounts(namedAccounts(owner), channels as Record<string, Named>, adapters);
  const restricted = Object.entries(channels).map(([name, channel]) => {
    if (typeof channel !== "object" || channel === null) return [name, channel];
    const access: unknown = Reflect.get(channel, "access");
    const own = accounts[name] === undefined ? [] : [accounts[name]];
    return [name, { ...channel, access: { ...(isObject(access) ? access : {}), accounts: own } }];
  });
  return { ...(root as object), channels: Object.fromEntries(restricted) };
};

/** The accounts that the file names for the owner. */
export const namedAccounts = (owner: Named): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(owner.accounts) ? owner.accounts : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );

export const objectAt = (root: unknown, key: string): Named | undefined => {
  const value: unknown = isObject(root) ? root[key] : undefined;
  return isObject(value) ? value : undefined;
};

export const isObject = (value: unknown): value is Named =>
  typeof value === "object" && value !== null && !Array.isArray(value);
