import { AppError, messageOf } from "../../contract/app-error.ts";
import { type GuardedFetch, Redirected } from "../../net/index.ts";
import type { FetchUrlConfig } from "../config.ts";
import { isAllowedHost } from "./allowed-host.ts";
import { readDocument } from "./read-document.ts";

/** Follows http → https and /x → /x/ of one site. */
const MAX_REDIRECTS = 3;

/** Fetches an allowed address and returns its text. A redirect is followed only to another allowed address. */
export const readUrl = async (
  config: FetchUrlConfig,
  fetch: GuardedFetch["fetch"],
  url: URL,
  signal: AbortSignal,
  redirects = 0,
): Promise<string> => {
  let response: Response;
  try {
    const headers = { accept: "text/html, application/pdf, text/plain;q=0.9, */*;q=0.1", "accept-language": "*" };
    response = await fetch(url, { headers, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Redirected) {
      const next = redirectTarget(error, url);
      if (redirects < MAX_REDIRECTS && next !== undefined && (isSameSite(next, url) || isAllowedHost(config, next))) {
        return readUrl(config, fetch, next, signal, redirects + 1);
      }
      throw new AppError("forbidden", `${error.message}. Ask the person to send that address, if it is needed.`);
    }
    if (error instanceof AppError) throw error;
    const { cause } = error as { cause?: unknown };
    throw new AppError("unavailable", `${url.host} could not be reached (${messageOf(cause ?? error)})`);
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new AppError("unavailable", `${url.host} answered HTTP ${response.status}`);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { title, text } = await readDocument(bytes, response.headers.get("content-type") ?? "", signal);
  return [`# ${title ?? url.href}`, `Source: ${url.href}`, "", text].join("\n");
};

const redirectTarget = ({ target }: Redirected, base: URL): URL | undefined =>
  URL.canParse(target, base.href) ? new URL(target, base) : undefined;

/** The same host, or the same host with "www."; never from https to http. */
const isSameSite = (next: URL, { host, protocol }: URL): boolean =>
  bareHost(next.host) === bareHost(host) && (next.protocol === "https:" || next.protocol === protocol);

const bareHost = (host: string): string => host.replace(/^www\./, "");
