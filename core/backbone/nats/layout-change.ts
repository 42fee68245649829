import { AppError, messageOf, RevisionConflict } from "../../contract/app-error.ts";
import type { Timer } from "../../contract/ports/clock.ts";
import type { NatsOptions } from "./connection/nats-options.ts";
import type { KvBucket } from "./kv/kv-bucket.ts";
import { type DeploymentLayout, encodeLayout, LAYOUT_KEY, layoutIn } from "./partitions/index.ts";

export interface LayoutDeps {
  readonly partitionsBucket: Pick<KvBucket, "read" | "write">;
  readonly membersBucket: Pick<KvBucket, "scan">;
  readonly options: Pick<NatsOptions, "clock" | "logger">;
}

/** The records of the members that the server has now. */
export type Members = readonly Uint8Array[];

interface LayoutChangeDeps extends LayoutDeps {
  /** The new layout, "later" to ask again after a pause, or "done". */
  decide(layout: DeploymentLayout, members: () => Promise<Members>): Promise<DeploymentLayout | "later" | "done">;
  changed(layout: DeploymentLayout): void;
  /** Log message of an error that a retry may not fix. */
  readonly failing: string;
}

/** Changes the layout of the deployment by compare-and-set, and retries until it is changed or needs no change. */
export class LayoutChange {
  readonly #deps: LayoutChangeDeps;
  #timer: Timer | undefined;
  #check: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: LayoutChangeDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#check = this.#isDone().then((isDone) => {
      if (!isDone && !this.#stopped) this.#timer = this.#deps.options.clock.after(CHECK_EVERY_MS, () => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#check;
  }

  async #isDone(): Promise<boolean> {
    try {
      return await this.#change();
    } catch (error) {
      // Another change was first: decide again, on what it has stored.
      if (error instanceof RevisionConflict && !this.#stopped) return this.#isDone();
      const isUsual = error instanceof AppError && (error.code === "stopped" || error.code === "unavailable");
      if (!isUsual) this.#deps.options.logger.warn({ error: messageOf(error) }, this.#deps.failing);
      return false;
    }
  }

  async #change(): Promise<boolean> {
    const { partitionsBucket, membersBucket, decide, changed } = this.#deps;
    const entry = await partitionsBucket.read(LAYOUT_KEY);
    const layout = layoutIn(entry);
    // Without a layout, or during a restore, the connection is not usable yet.
    if (entry === undefined || layout === undefined || layout.restoring) return false;
    const next = await decide(layout, async () => {
      const members = await membersBucket.scan(">", { headersOnly: false });
      return members.filter(({ deleted }) => !deleted).map(({ data }) => data);
    });
    if (next === "later" || next === "done") return next === "done";
    await partitionsBucket.write(LAYOUT_KEY, encodeLayout(next), { ifRevision: entry.revision });
    changed(next);
    return true;
  }
}

const CHECK_EVERY_MS = 30_000;
