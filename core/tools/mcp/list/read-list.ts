import type { Clock } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import type { Connection } from "../client/connection.ts";
import { type ServerList, ToolsPage, validTools } from "./server-list.ts";

/** A server that always names a next page must not be read forever. */
const MAX_PAGES = 20;
const PAGE_MS = 60_000;

interface ReadDeps {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads everything that a server offers. */
export const readList = async (connection: Connection, { signal, clock, logger }: ReadDeps): Promise<ServerList> => {
  const { tools, resources, prompts } = connection.capabilities;
  const raw = tools === undefined ? [] : await readPages(connection, signal);
  return {
    tools: validTools(raw, (reason) => logger.warn({ reason }, "tool of a server left out")),
    hasResources: resources !== undefined,
    hasPrompts: prompts !== undefined,
    readAt: clock.now(),
  };
};

const readPages = async (connection: Connection, signal: AbortSignal): Promise<unknown[]> => {
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await connection.request("tools/list", params, ToolsPage, {
      signal,
      timeoutMs: PAGE_MS,
    });
    found.push(...tools);
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return found;
};
