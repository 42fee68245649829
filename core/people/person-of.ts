import { stableId } from "../sessions/stable-id.ts";

/** The person behind an account. Until accounts can be linked, each account is a person of its own. */
export const personOf = (tenant: string, channel: string, accountId: string): string =>
  stableId("p", tenant, channel, accountId);
