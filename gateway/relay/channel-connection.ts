import { isAttachmentAdapter, isReactingAdapter, type ReactingAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { FromPerson } from "../../core/contract/messages/user-message.ts";
import type { Consumer, Listener } from "../../core/contract/ports/bus.ts";
import type { Timer } from "../../core/contract/ports/clock.ts";
import { withinDeadline } from "../../core/lib/index.ts";
import { startHeldForLog } from "./append-to-log.ts";
import type { RelayContext } from "./context.ts";
import { startFanOut } from "./fan-out.ts";
import { createInbox } from "./inbox.ts";
import { startOutbox } from "./outbox.ts";
import { requestFiles, startReceivingFiles } from "./receive-files.ts";
import { startSignals } from "./sending/signals.ts";
import type { Streams } from "./sending/streams.ts";
import { streamsOf } from "./sending/streams.ts";
import { type WorkMarks, workMarksOf } from "./sending/work-marks.ts";

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const STARTING = "starting";

/** The part of a channel that needs its platform: the adapter, its outbox and its signals. */
export class ChannelConnection {
  readonly #context: RelayContext;
  readonly #adapter: ChannelAdapter;
  readonly #maySend: () => boolean;
  #wanted = false;
  #failures = 0;
  #retry: Timer | undefined;
  #consumer: Consumer | undefined;
  #signals: Listener | undefined;
  #streams: Streams | undefined;
  #workMarks: WorkMarks | undefined;
  #opening: Promise<void> = Promise.resolve();
  /** Why the channel is not connected although it should be. */
  problem: string | undefined;

  constructor(context: RelayContext, adapter: ChannelAdapter, maySend: () => boolean) {
    this.#context = context;
    this.#adapter = adapter;
    this.#maySend = maySend;
  }

  /** The first attempt is in progress, which is not a failure. */
  get isStarting(): boolean {
    return this.problem === STARTING;
  }

  /** Resolves when the first attempt has ended; retries follow in the background. */
  open(): Promise<void> {
    this.#wanted = true;
    this.problem ??= STARTING;
    this.#opening = this.#try();
    return this.#opening;
  }

  async close(): Promise<void> {
    this.#wanted = false;
    this.#retry?.cancel();
    this.problem = undefined;
    // The adapter stops its intake first. An adapter that is still starting is awaited.
    await Promise.all([this.#adapter.stop(), this.#opening.then(() => this.#release())]);
  }

  async #release(): Promise<void> {
    this.#signals?.close();
    this.#signals = undefined;
    await this.#consumer?.close();
    this.#consumer = undefined;
    this.#streams?.close();
    this.#streams = undefined;
    this.#workMarks?.close();
    this.#workMarks = undefined;
  }

  async #try(): Promise<void> {
    const { logger, clock } = this.#context;
    const { channel } = this.#adapter;
    try {
      await this.#start();
      if (!this.#wanted) return await this.#adapter.stop();
      this.#streams = streamsOf(this.#context, this.#adapter, this.#maySend);
      this.#workMarks = workMarksOf(this.#context, this.#adapter);
      this.#consumer = await this.#consume();
      this.#signals = await startSignals(this.#context, this.#adapter, this.#streams, this.#workMarks);
      this.#workMarks?.start();
      this.#failures = 0;
      this.problem = undefined;
      logger.info({ channel }, "channel started");
    } catch (error) {
      await Promise.allSettled([this.#release(), this.#adapter.stop()]);
      if (!this.#wanted) return;
      const reason = messageOf(error);
      const isKnown = this.problem === reason;
      this.problem = reason;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, MAX_PAUSE_MS);
      logger[isKnown ? "debug" : "error"]({ channel, reason, retryInMs: pauseMs }, "channel did not start, retrying");
      this.#retry = clock.after(pauseMs, () => void this.open());
    }
  }

  /** Bounded, because the loss of the lease waits for it. */
  #start(): Promise<void> {
    const { clock, limits } = this.#context;
    const adapter = this.#adapter;
    const read = isAttachmentAdapter(adapter) ? requestFiles(this.#context) : undefined;
    const onStored = isReactingAdapter(adapter) ? markSeen(this.#context, adapter) : undefined;
    const starting = adapter.start(createInbox({ ...this.#context, read, onStored }));
    return withinDeadline(clock, limits.startWithinMs, starting, () => {
      throw new AppError("unavailable", `the adapter did not start within ${limits.startWithinMs} ms`);
    });
  }

  async #consume(): Promise<Consumer> {
    const adapter = this.#adapter;
    const consumers = isAttachmentAdapter(adapter) ? [await startReceivingFiles(this.#context, adapter)] : [];
    if (adapter.capabilities.resend !== "log") {
      consumers.push(await startOutbox(this.#context, adapter, this.#maySend, this.#streams, this.#workMarks));
    } else {
      consumers.push(await startHeldForLog(this.#context, adapter), await startFanOut(this.#context, adapter));
    }
    return {
      close: async () => {
        await Promise.all(consumers.map((consumer) => consumer.close()));
      },
    };
  }
}

/** A light sign before the answer. Nothing depends on it, so no message waits for it, and a failure is only logged. */
const markSeen =
  ({ logger }: RelayContext, adapter: ReactingAdapter) =>
  ({ conversation, messageId }: FromPerson): void => {
    if (messageId === undefined) return;
    (async () => adapter.markSeen(conversation, messageId))().catch((error: unknown) =>
      logger.debug({ channel: adapter.channel, error: messageOf(error) }, "could not mark a message as seen"),
    );
  };
