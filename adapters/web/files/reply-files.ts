import { FileRef } from "../../../core/contract/file-ref.ts";
import { collection, keyOf, type Store } from "../../../core/contract/ports/store.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Delivery } from "../../contract/channel-adapter.ts";
import { type FileLimits, readFiles } from "../../contract/outgoing-file.ts";

/** Which files the agent has sent to a visitor. */
const sent = collection("web-reply-files", FileRef);

const sentKey = (channel: string, visitor: string, id: string) => keyOf(sent, channel, visitor, id);

/** A whole file is in memory while it is checked. */
export const FILE_LIMITS: FileLimits = { maxBytes: 20_000_000, maxCount: 10 };

interface ReplyFilesDeps extends Pick<AdapterContext, "openFile" | "isBlocked"> {
  readonly store: Store;
  readonly channel: string;
  readonly ttlMs: number;
}

/** The files of the agent's replies. Their contents stay where the agent stored them. */
export class ReplyFiles {
  readonly #deps: ReplyFilesDeps;

  constructor(deps: ReplyFilesDeps) {
    this.#deps = deps;
  }

  /** Lets the visitor download the files of a delivery. Idempotent. Rejects with DeliveryFailed if one cannot be read. */
  async offer(delivery: Delivery): Promise<void> {
    const { store, channel, ttlMs } = this.#deps;
    if (delivery.files === undefined) return;
    await readFiles(delivery, FILE_LIMITS);
    for (const { ref } of delivery.files) {
      if (ref !== undefined) await store.put(sentKey(channel, delivery.target.room, ref.id), ref, { ttlMs });
    }
  }

  async withdraw(visitor: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#deps.store.delete(sentKey(this.#deps.channel, visitor, id));
  }

  /** Undefined if the visitor has no such file, may no longer read here, or it has expired. */
  async open(
    visitor: string,
    id: string,
  ): Promise<{ readonly file: FileRef; readonly content: AsyncIterable<Uint8Array> } | undefined> {
    const { store, channel, openFile, isBlocked } = this.#deps;
    if (isBlocked?.(visitor) === true) return undefined;
    const file = (await store.get(sentKey(channel, visitor, id)))?.value;
    const content = file && (await openFile?.(file));
    return file && content && { file, content };
  }
}
