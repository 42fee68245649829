import type { SignInTarget } from "./grant-record.ts";
import { serverFetch } from "./server-fetch.ts";

const TIMEOUT_MS = 15_000;

/** Requests about tokens: bounded in size and time, redirects are not followed. */
export const authorizationFetch = ({ url, headers }: Pick<SignInTarget, "url" | "headers">) => {
  const send = serverFetch({ url, headers, onBroken: () => undefined });
  return (address: string | URL, init?: RequestInit): Promise<Response> =>
    send(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
};
