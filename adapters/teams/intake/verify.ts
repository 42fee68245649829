import { decodeProtectedHeader, errors, jwtVerify } from "jose";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { isBelow } from "../api/calls.ts";
import type { SigningKeys } from "../api/signing-keys.ts";
import type { TeamsConfig } from "../config.ts";

const CLOCK_SKEW_S = 300;
const MAX_TOKEN = 8_192;

export interface VerifierDeps {
  readonly config: Pick<TeamsConfig, "appId" | "issuer" | "serviceUrls">;
  readonly keys: Pick<SigningKeys, "find">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * The service address in the token of a genuine request. Rejects with "forbidden" for every other request, and with
 * "unavailable" without the keys. https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
 */
export const verifyToken = async (authorization: string | undefined, deps: VerifierDeps): Promise<string> => {
  const { config, keys, clock } = deps;
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined || token.length > MAX_TOKEN) throw refused("no token");
  const payload = await refuseIfBad(async () => {
    const { kid } = decodeProtectedHeader(token);
    const key = typeof kid === "string" ? await keys.find(kid) : undefined;
    if (key === undefined) throw refused("unknown key");
    const verified = await jwtVerify(token, key, {
      algorithms: ["RS256"],
      issuer: config.issuer,
      audience: config.appId,
      clockTolerance: CLOCK_SKEW_S,
      requiredClaims: ["exp"],
      currentDate: new Date(clock.now()),
    });
    return verified.payload;
  });
  const { serviceurl } = payload;
  if (typeof serviceurl !== "string" || !isBelow(serviceurl, config.serviceUrls)) throw refused("service address");
  return serviceurl;
};

const refuseIfBad = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refused(error instanceof errors.JOSEError ? error.code : "unreadable token");
  }
};

/** The reason goes to the log only, never to the sender. */
const refused = (reason: string): AppError => new AppError("forbidden", `not a request of Teams: ${reason}`);
