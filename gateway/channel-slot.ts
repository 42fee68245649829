import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import { messageOf } from "../core/contract/app-error.ts";
import { type ChannelHealth, type RelayContext, type RunningChannel, StandingAdapter } from "./relay/index.ts";
import { PartLost } from "./reload/index.ts";

/** A channel that is created and not started: its adapter has not connected yet. */
export interface CreatedChannel {
  readonly adapter: ChannelAdapter;
  readonly context: RelayContext;
  start(): Promise<RunningChannel>;
}

/** One channel of this gateway. A reload restarts it with other settings, while routes and reports keep this object. */
export class ChannelSlot implements RunningChannel {
  readonly channel: string;
  readonly #standing: StandingAdapter;
  #context: RelayContext;
  #running: RunningChannel;
  #isRestarting = false;
  #restart: Promise<void> = Promise.resolve();

  private constructor({ adapter, context }: CreatedChannel, running: RunningChannel) {
    this.channel = running.channel;
    this.#standing = new StandingAdapter(adapter);
    this.#context = context;
    this.#running = running;
  }

  static async start(created: CreatedChannel): Promise<ChannelSlot> {
    return new ChannelSlot(created, await created.start());
  }

  get firstAttempt(): Promise<void> {
    return this.#running.firstAttempt;
  }

  /** Calls reach the adapter in use. */
  get adapter(): ChannelAdapter {
    return this.#standing.adapter;
  }

  get context(): RelayContext {
    return this.#context;
  }

  /** Whether the channel can continue with this adapter in this process. */
  fits({ adapter }: CreatedChannel): boolean {
    return this.#standing.fits(adapter);
  }

  /** Stops the channel, which ends its deliveries in progress, and starts it again. Messages wait in the queue. */
  async restartAs(next: CreatedChannel): Promise<void> {
    this.#isRestarting = true;
    this.#restart = this.#restartAs(next).finally(() => {
      this.#isRestarting = false;
    });
    await this.#restart;
  }

  health(): ChannelHealth {
    return this.#isRestarting ? { ok: false, reason: "reloading", starting: true } : this.#running.health();
  }

  async setPaused(isPaused: boolean): Promise<void> {
    await this.#restart.catch(() => undefined);
    await this.#running.setPaused(isPaused);
  }

  async stop(): Promise<void> {
    await this.#restart.catch(() => undefined);
    await this.#running.stop();
  }

  async #restartAs(next: CreatedChannel): Promise<void> {
    await this.#running.stop();
    this.#standing.use(next.adapter);
    this.#context = next.context;
    try {
      this.#running = await next.start();
    } catch (error) {
      throw new PartLost(`channel ${this.channel}`, messageOf(error));
    }
  }
}
