import { randomBytes } from "node:crypto";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { linkFiles } from "../../core/files/index.ts";
import type { FileLinker } from "../relay/index.ts";

interface LinkerDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Without a trailing slash. */
  readonly filesUrl: string;
}

/** Below this path the gateway serves files by link. */
export const FILES_PATH = "/files";

const newSecret = (): string => randomBytes(32).toString("base64url");

/** Makes the links to the files of a reply, which work for 24 hours (M3). */
export const fileLinker =
  ({ store, clock, filesUrl }: LinkerDeps): FileLinker =>
  async (reply, target) => {
    const pathTo = await linkFiles({ store, clock, newSecret }, reply, target);
    return pathTo && ((file) => `${filesUrl}${FILES_PATH}/${pathTo(file)}`);
  };
