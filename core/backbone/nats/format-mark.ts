import { AppError, messageOf, RevisionConflict } from "../../contract/app-error.ts";
import type { Timer } from "../../contract/ports/clock.ts";
import { DATA_FORMAT } from "../data-format.ts";
import { LAYOUT_KEY, layoutIn } from "./check-deployment.ts";
import type { NatsOptions } from "./connection/nats-options.ts";
import type { KvBucket } from "./kv/kv-bucket.ts";
import { formatOfMember } from "./partitions/index.ts";

const CHECK_EVERY_MS = 30_000;
/** A process of the older version that crashes during a rolling upgrade may start again for this long. */
const AFTER_LAST_OLDER_MS = 600_000;

interface FormatMarkDeps {
  readonly partitionsBucket: Pick<KvBucket, "read" | "write">;
  readonly membersBucket: Pick<KvBucket, "scan">;
  readonly options: Pick<NatsOptions, "clock" | "logger">;
}

/**
 * Stores the data format of this version once no process of an older version runs: during a rolling upgrade both work,
 * afterwards older versions refuse the data.
 */
export class FormatMark {
  readonly #deps: FormatMarkDeps;
  #timer: Timer | undefined;
  #check: Promise<void> = Promise.resolve();
  #olderSeenAt: number | undefined;
  #stopped = false;

  constructor(deps: FormatMarkDeps) {
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
      return await this.#mark();
    } catch (error) {
      const isUsual =
        error instanceof RevisionConflict ||
        (error instanceof AppError && (error.code === "stopped" || error.code === "unavailable"));
      if (!isUsual)
        this.#deps.options.logger.warn({ error: messageOf(error) }, "could not store data format, retrying later");
      return false;
    }
  }

  async #mark(): Promise<boolean> {
    const { partitionsBucket, options } = this.#deps;
    const entry = await partitionsBucket.read(LAYOUT_KEY);
    const layout = layoutIn(entry);
    // Without a layout, or during a restore, the connection is not usable yet.
    if (entry === undefined || layout === undefined || layout.restoring) return false;
    if ((layout.format ?? 0) >= DATA_FORMAT) return true;
    if (await this.#hasOlder()) return false;
    const data = Buffer.from(JSON.stringify({ ...layout, format: DATA_FORMAT }));
    await partitionsBucket.write(LAYOUT_KEY, data, { ifRevision: entry.revision });
    options.logger.info({ format: DATA_FORMAT }, "data format stored, older versions refuse the data from now on");
    return true;
  }

  async #hasOlder(): Promise<boolean> {
    const { membersBucket, options } = this.#deps;
    const now = options.clock.monotonic();
    const members = await membersBucket.scan(">", { headersOnly: false });
    if (members.some(({ data, deleted }) => !deleted && formatOfMember(data) < DATA_FORMAT)) this.#olderSeenAt = now;
    return this.#olderSeenAt !== undefined && now - this.#olderSeenAt < AFTER_LAST_OLDER_MS;
  }
}
