import { DATA_FORMAT } from "../data-format.ts";
import { LayoutChange, type LayoutDeps, type Members } from "./layout-change.ts";
import { formatOfMember } from "./partitions/index.ts";

/** A process of the older version that crashes during a rolling upgrade may start again for this long. */
const AFTER_LAST_OLDER_MS = 600_000;

/**
 * Stores the data format of this version once no process of an older version runs: during a rolling upgrade both work,
 * afterwards older versions refuse the data.
 */
export class FormatMark {
  readonly #deps: LayoutDeps;
  readonly #change: LayoutChange;
  #olderSeenAt: number | undefined;

  constructor(deps: LayoutDeps) {
    this.#deps = deps;
    this.#change = new LayoutChange({
      ...deps,
      failing: "could not store data format, retrying later",
      decide: async (layout, members) => {
        if ((layout.format ?? 0) >= DATA_FORMAT) return "done";
        return this.#hasOlder(await members()) ? "later" : { ...layout, format: DATA_FORMAT };
      },
      changed: ({ format }) =>
        deps.options.logger.info({ format }, "data format stored, older versions refuse the data from now on"),
    });
  }

  start(): void {
    this.#change.start();
  }

  stop(): Promise<void> {
    return this.#change.stop();
  }

  #hasOlder(members: Members): boolean {
    const now = this.#deps.options.clock.monotonic();
    if (members.some((data) => formatOfMember(data) < DATA_FORMAT)) this.#olderSeenAt = now;
    return this.#olderSeenAt !== undefined && now - this.#olderSeenAt < AFTER_LAST_OLDER_MS;
  }
}
