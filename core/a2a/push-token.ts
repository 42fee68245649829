import { createHmac } from "node:crypto";
import type { PeerCallAddress } from "../contract/peer-call-address.ts";
import type { DeploymentIdentity } from "./deployment-identity.ts";

/** What a remote agent shows with its notifications about a call. It is worked out, and nowhere kept. */
export const pushTokenOf = ({ key }: Pick<DeploymentIdentity, "key">, { tenant, agent, id }: PeerCallAddress): string =>
  createHmac("sha256", key)
    .update(JSON.stringify(["push", tenant, agent, id]))
    .digest("base64url");
