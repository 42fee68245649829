import { ownerProof } from "../../adapters/web/terminal/index.ts";
import { loadConfig } from "../../config/index.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import { LINK_PROOF, LINK_TTL_MINUTES, LINKS_PATH, ownerSecretFile, readOwnerSecret } from "../owner/index.ts";
import { publicUrl } from "../public-url.ts";

const TIMEOUT_MS = 10_000;

/** Asks the running gateway for a one-time link that makes a browser the owner's. */
export const ownerLink = async ({ file }: { readonly file: string | undefined }): Promise<string> => {
  const { owner, dataDir, gateway } = await loadConfig({ file });
  if (owner === undefined)
    throw new AppError("bad-configuration", "the configuration has no owner: set owner for an assistant of one person");
  const secret = await readOwnerSecret(dataDir);
  if (secret === undefined)
    throw new AppError(
      "data-unusable",
      `could not read ${ownerSecretFile(dataDir)}: start Mooring first, then run this on its machine, as its user`,
    );
  const address = new URL(LINKS_PATH, publicUrl(gateway));
  const headers = { authorization: `Bearer ${ownerProof(secret, LINK_PROOF, Date.now())}` };
  const response = await fetch(address, { method: "POST", headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: unknown) => {
      const advice = 'start it with "mooring start"';
      throw new AppError("unavailable", `no gateway answers at ${address.origin} (${messageOf(error)}): ${advice}`);
    },
  );
  const body = (await response.json().catch(() => ({}))) as { readonly link?: unknown };
  if (!response.ok || typeof body.link !== "string")
    throw new AppError("unavailable", `the gateway at ${address.origin} refused the owner secret (${response.status})`);
  return `${body.link}\nOpen it in a browser within ${LINK_TTL_MINUTES} minutes. It works once.\n`;
};
