import { z } from "zod";
import { messageOf } from "../../core/contract/app-error.ts";
import { type Clock, isoTime, type Timer } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { collection, keyOf, prefixOf, type Store } from "../../core/contract/ports/store.ts";
import type { EndedToolCall, ToolCallLog } from "../../core/contract/ports/telemetry.ts";

/** A tool call for operators: ids, names and numbers; no arguments, no result and no words of people (R4). */
const RecentToolCall = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  agent: z.string(),
  tool: z.string(),
  /** The MCP server of the tool. */
  server: z.string().optional(),
  outcome: z.string(),
  /** Of the run; absent if the call did not run. */
  durationMs: z.number().optional(),
  endedAt: z.iso.datetime(),
  personId: z.string(),
  turnId: z.string(),
  traceId: z.string(),
});
export type RecentToolCall = z.infer<typeof RecentToolCall>;

/** Consecutive calls of one process within one hour, in the order of their ends. */
const CallChunk = z.looseObject({ calls: z.array(RecentToolCall) });

const HOUR_MS = 3_600_000;
const TTL_HOURS = 7 * 24;
const chunks = collection("tool-calls", CallChunk, { ttlMs: TTL_HOURS * HOUR_MS });
/** The chunks of all processes in the hour that begins at this time. */
export const toolCallsOfHour = (hour: string) => prefixOf(chunks, hour);

/** The hours that may have calls, the newest first. */
export const toolCallHours = (now: number): string[] =>
  Array.from({ length: TTL_HOURS + 1 }, (_, index) => isoTime(now - (now % HOUR_MS) - index * HOUR_MS));

const WRITE_EVERY_MS = 10_000;
const CHUNK_CALLS = 200;
/** Per process, hour and kind (done or not), so that a busy process fills neither the store nor its memory. */
const MAX_CALLS_PER_HOUR = 2_000;

interface Deps {
  readonly store: Store;
  readonly logger: Logger;
  /** Identifies this run of the process. */
  readonly instance: string;
}

interface Chunk {
  readonly hour: string;
  readonly number: number;
  readonly calls: RecentToolCall[];
  isChanged: boolean;
}

/**
 * Lists the tool calls of this process for operators, and stores the list every few seconds, so that a call costs no
 * write. A crash loses the calls since the last write from this list; their turns have them.
 */
export class RecentToolCalls implements ToolCallLog {
  readonly #clock: Clock;
  #deps: Deps | undefined;
  #timer: Timer | undefined;
  /** The chunk that calls are added to is the last one. */
  #chunks: Chunk[] = [];
  #hour = "";
  #done = 0;
  #failed = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(deps: Deps): void {
    this.#deps = deps;
    this.#writeLater();
  }

  /** Stores the last calls. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#write();
    this.#deps = undefined;
  }

  note({ id, tenant, agent, tool, server, outcome, durationMs, personId, turnId, traceId }: EndedToolCall): void {
    const now = this.#clock.now();
    const hour = isoTime(now - (now % HOUR_MS));
    if (hour !== this.#hour) this.#beginHour(hour);
    const count = outcome === "done" ? ++this.#done : ++this.#failed;
    if (count > MAX_CALLS_PER_HOUR) return;
    const call = {
      ...{ id, tenant, agent, tool, outcome, endedAt: isoTime(now), personId, turnId, traceId },
      ...(server !== undefined && { server }),
      ...(durationMs !== undefined && { durationMs }),
    };
    const chunk = this.#openChunk(hour);
    chunk.calls.push(call);
    chunk.isChanged = true;
  }

  #beginHour(hour: string): void {
    this.#hour = hour;
    this.#done = 0;
    this.#failed = 0;
  }

  #openChunk(hour: string): Chunk {
    const last = this.#chunks.at(-1);
    if (last?.hour === hour && last.calls.length < CHUNK_CALLS) return last;
    const number = last?.hour === hour ? last.number + 1 : 0;
    const opened = { hour, number, calls: [], isChanged: false };
    this.#chunks.push(opened);
    return opened;
  }

  #writeLater(): void {
    this.#timer = this.#clock.after(WRITE_EVERY_MS, () => {
      void this.#write().finally(() => {
        if (this.#deps !== undefined) this.#writeLater();
      });
    });
  }

  async #write(): Promise<void> {
    if (this.#deps === undefined) return;
    const { store, logger, instance } = this.#deps;
    for (const chunk of this.#chunks.filter(({ isChanged }) => isChanged)) {
      chunk.isChanged = false;
      try {
        const { hour, number, calls } = chunk;
        await store.put(keyOf(chunks, hour, instance, String(number)), { calls: [...calls] });
      } catch (error) {
        chunk.isChanged = true;
        logger.debug({ error: messageOf(error) }, "could not store the list of tool calls, retrying");
        break;
      }
    }
    // A chunk that is stored and full, or of an earlier hour, does not change any more.
    const last = this.#chunks.at(-1);
    const oldest = this.#clock.now() - MAX_KEPT_MS;
    this.#chunks = this.#chunks.filter(
      (chunk) => chunk === last || (chunk.isChanged && Date.parse(chunk.hour) > oldest),
    );
  }
}

/** Calls that could not be stored for this long are dropped from the list. */
const MAX_KEPT_MS = 3 * HOUR_MS;
