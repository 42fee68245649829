import { isAttachmentAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { FromPerson } from "../../core/contract/messages/user-message.ts";
import type { Consumer, Listener } from "../../core/contract/ports/bus.ts";
import type { Timer } from "../../core/contract/ports/clock.ts";
import { withinDeadline } from "../../core/lib/index.ts";
import { startHeldForLog } from "./append-to-log.ts";
import { withAttachmentText } from "./attachment-text.ts";
import type { RelayContext } from "./context.ts";
import { startFanOut } from "./fan-out.ts";
import { createInbox } from "./inbox.ts";
import { startOutbox } from "./outbox.ts";
import { startSignals } from "./streaming/signals.ts";
import type { Streams } from "./streaming/streams.ts";
import { streamsOf } from "./streaming/streams.ts";

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
  }

  async #try(): Promise<void> {
    const { logger, clock } = this.#context;
    const { channel } = this.#adapter;
    try {
      await this.#start();
      if (!this.#wanted) return await this.#adapter.stop();
      this.#streams = streamsOf(this.#context, this.#adapter, this.#maySend);
      this.#consumer = await this.#consume();
      this.#signals = await startSignals(this.#context, this.#adapter, this.#streams);
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
    const read = isAttachmentAdapter(adapter)
      ? <M extends FromPerson>(message: M) => withAttachmentText(this.#context, adapter, message)
      : undefined;
    const starting = adapter.start(createInbox({ ...this.#context, read }));
    return withinDeadline(clock, limits.startWithinMs, starting, () => {
      throw new AppError("unavailable", `the adapter did not start within ${limits.startWithinMs} ms`);
    });
  }

  async #consume(): Promise<Consumer> {
    if (this.#adapter.capabilities.resend !== "log") {
      return startOutbox(this.#context, this.#adapter, this.#maySend, this.#streams);
    }
    const held = await startHeldForLog(this.#context, this.#adapter);
    const fanOut = await startFanOut(this.#context, this.#adapter);
    return {
      close: async () => {
        await Promise.all([held.close(), fanOut.close()]);
      },
    };
  }
}
