import type { DeploymentIdentity } from "./deployment-identity.ts";

/** An address in the one spelling that a pair has it in. */
export const addressOf = (url: string): string => new URL(url).href.replace(/\/+$/, "");

/**
 * One of our agents as hops between deployments are counted by it: the same in every process, also where the
 * configuration does not say how others reach us (A4).
 */
export const agentAddress = (
  { id }: Pick<DeploymentIdentity, "id">,
  publicUrl: string | undefined,
  agent: string,
): string => addressOf(`${publicUrl ?? `urn:mooring:${id}`}/a2a/${agent}`);
