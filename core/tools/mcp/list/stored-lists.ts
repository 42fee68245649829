import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, messageOf } from "../../../contract/app-error.ts";
import type { AgentRef } from "../../../contract/messages/addresses.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import { collection, keyOf, type Store } from "../../../contract/ports/store.ts";
import { stableId } from "../../../lib/index.ts";
import type { McpServerConfig } from "../config.ts";
import { ServerList } from "./server-list.ts";

/** The list that an earlier run has read. */
export interface KnownList {
  read(): Promise<ServerList | undefined>;
  write(list: ServerList): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;

/** A list is read again at every start of its server, so this only bounds how long an unused one is kept. */
const lists = collection("tool-lists", ServerList, { ttlMs: 90 * DAY_MS });

/** The id of everything that decides what a server offers. Values of secrets are left out. */
export const digestOf = ({ tenant, agent }: AgentRef, name: string, config: McpServerConfig): string => {
  const { command, args, cwd, url, type, env, headers } = config;
  const names = [Object.keys(env).sort(), Object.keys(headers).sort()];
  return stableId("list", JSON.stringify([tenant, agent, name, command, args, cwd, url, type, names]));
};

const fileOf = (dataDir: string, digest: string): string => join(dataDir, "tool-lists", `${digest}.json`);

/** The copy of a list that `mooring check` reads, because another process may hold the store. */
export const readListFile = (dataDir: string, digest: string): ServerList | undefined => {
  try {
    return ServerList.parse(JSON.parse(readFileSync(fileOf(dataDir, digest), "utf8")));
  } catch {
    return undefined;
  }
};

/** The last list of a server, so that a new process offers its tools without starting it. */
export class StoredList implements KnownList {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #dataDir: string;
  readonly #digest: string;

  constructor(deps: { store: Store; logger: Logger; dataDir: string }, digest: string) {
    this.#store = deps.store;
    this.#logger = deps.logger;
    this.#dataDir = deps.dataDir;
    this.#digest = digest;
  }

  /** A list that cannot be read counts as unknown: the server has it. */
  async read(): Promise<ServerList | undefined> {
    try {
      return (await this.#store.get(keyOf(lists, this.#digest)))?.value;
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, "could not read the stored list of tools");
      return undefined;
    }
  }

  async write(list: ServerList): Promise<void> {
    await this.#copy(list).catch((error) => {
      this.#logger.debug({ error: messageOf(error) }, "could not copy the list of tools");
    });
    try {
      await this.#store.put(keyOf(lists, this.#digest), list);
    } catch (error) {
      const isTooLarge = error instanceof AppError && error.code === "too-large";
      const message = isTooLarge ? "list of tools is too large to be stored" : "could not store the list of tools";
      this.#logger.warn({ error: messageOf(error) }, message);
    }
  }

  async #copy(list: ServerList): Promise<void> {
    const file = fileOf(this.#dataDir, this.#digest);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, JSON.stringify(list), { mode: 0o600 });
  }
}
