import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "../../config/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { isCalled } from "../agent-config.ts";
import { configuredDigest, digestOf } from "../http/index.ts";

/** An authenticated remote agent. */
export interface Caller {
  readonly name: string;
  readonly tenant: string;
  /** Allowed agents; undefined allows all of the tenant. */
  readonly agents?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly requestsPerMinute: number;
}

/** Authenticates a caller. Throws "unauthorised" for unknown credentials. */
export type CallerCheck = (headers: IncomingHttpHeaders) => Caller;

/** Creates the check; it keeps only digests of the secrets in memory. */
export const callerCheck = (callers: Config["a2a"]["callers"]): CallerCheck => {
  const known = Object.entries(callers).map(([name, { token, apiKey, ...limits }]) => ({
    caller: { name, ...limits },
    isToken: token !== undefined,
    digest: configuredDigest((token ?? apiKey)?.reveal() ?? ""),
  }));
  return (headers) => {
    const token = digestIfGiven(/^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1]);
    const apiKey = digestIfGiven(headers["x-api-key"]?.toString());
    // Compares with every caller in constant time, so that the duration leaks nothing.
    const found = known.filter(({ isToken, digest }) => isSame(digest, isToken ? token : apiKey));
    if (found[0] === undefined) {
      throw new AppError(
        "unauthorised",
        "credentials are missing or wrong: send `Authorization: Bearer <token>`, or `X-API-Key: <key>`",
      );
    }
    return found[0].caller;
  };
};

/** Undefined without credentials, which match no secret. */
const digestIfGiven = (secret: string | undefined): Buffer | undefined => (secret ? digestOf(secret) : undefined);

const isSame = (digest: Buffer, shown: Buffer | undefined): boolean =>
  shown !== undefined && timingSafeEqual(digest, shown);

/** A caller reaches agents of its own tenant only (R7). */
export const mayCall = (
  { tenant, agents }: Pick<Caller, "tenant" | "agents">,
  agent: Pick<ServedAgent, "name" | "tenant">,
): boolean => tenant === agent.tenant && (agents?.includes(agent.name) ?? true);
export const mayUse = ({ skills }: Caller, skill: string): boolean => skills?.includes(skill) ?? true;

/** An agent that remote callers may call. */
export type ServedAgent = Pick<Config["agents"][number], "name" | "tenant" | "description" | "skills">;

export const servedAgents = ({ agents, a2a }: Pick<Config, "agents" | "a2a">): readonly ServedAgent[] =>
  agents.filter((agent) => isCalled(a2a, agent));
