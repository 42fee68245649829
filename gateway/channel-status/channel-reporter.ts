import { messageOf } from "../../core/contract/app-error.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { Bus, Listener } from "../../core/contract/ports/bus.ts";
import type { Clock, Timer } from "../../core/contract/ports/clock.ts";
import { isoTime } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import type { RunningChannel } from "../relay/index.ts";
import type { ChannelRef, GatewayReport } from "./channel-record.ts";
import { changeStatus, liveGateways, pauseKey } from "./channel-record.ts";
import type { ChannelTraffic } from "./channel-traffic.ts";
import { withErrors } from "./channel-traffic.ts";

const CHECK_EVERY_MS = 15_000;
/** Heartbeat: maximum time between two reports. */
const REPORT_EVERY_MS = 60_000;

interface ReporterDeps {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly instance: string;
}

/** Stores the state of a channel on this gateway for operators, and applies their pause and resume. */
export class ChannelReporter {
  readonly #deps: ReporterDeps;
  readonly #ref: ChannelRef;
  readonly #running: RunningChannel;
  readonly #traffic: ChannelTraffic;
  #listener: Listener | undefined;
  #timer: Timer | undefined;
  #work: Promise<void> = Promise.resolve();
  #reported: { readonly state: string; readonly at: number } | undefined;
  #isQueued = false;
  #stopped = false;

  constructor(deps: ReporterDeps, ref: ChannelRef, running: RunningChannel, traffic: ChannelTraffic) {
    this.#deps = deps;
    this.#ref = ref;
    this.#running = running;
    this.#traffic = traffic;
  }

  async start(): Promise<void> {
    const { tenant, channel } = this.#ref;
    this.#listener = await this.#deps.bus.listen(subjectsOf(tenant).channelChanged(channel), () => this.checkSoon());
    this.checkSoon();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#listener?.close();
    this.#timer?.cancel();
    await this.#work;
  }

  /** Reports soon and applies a pause; calls until then are combined. */
  checkSoon(): void {
    if (this.#isQueued || this.#stopped) return;
    this.#isQueued = true;
    this.#work = this.#work.then(() => {
      this.#isQueued = false;
      return this.#check();
    });
  }

  async #check(): Promise<void> {
    if (this.#stopped) return;
    const { store, clock, logger } = this.#deps;
    this.#timer?.cancel();
    try {
      await this.#running.setPaused((await store.get(pauseKey(this.#ref))) !== undefined);
      await this.#report();
    } catch (error) {
      // The gateway's health check reports an unavailable store.
      logger.debug({ channel: this.#ref.channel, error: messageOf(error) }, "could not report channel state");
    }
    if (!this.#stopped) this.#timer = clock.after(CHECK_EVERY_MS, () => this.checkSoon());
  }

  async #report(): Promise<void> {
    const { store, clock, instance } = this.#deps;
    const { state, reason } = this.#state();
    if (reason !== undefined) this.#traffic.noteError("connection", reason);
    const { lastInAt, lastOutAt, errors } = this.#traffic;
    const hasTraffic = lastInAt !== undefined || lastOutAt !== undefined || errors.length > 0;
    const now = clock.now();
    const isDue = this.#reported === undefined || now - this.#reported.at >= REPORT_EVERY_MS;
    if (!hasTraffic && !isDue && this.#reported?.state === state) return;
    const traffic = this.#traffic.take();
    const own: GatewayReport = { state, seenAt: isoTime(now), ...(reason !== undefined && { reason }) };
    await changeStatus(store, this.#ref, (status) => ({
      ...status,
      gateways: { ...Object.fromEntries(liveGateways(status, now)), [instance]: own },
      ...latest("lastInAt", status.lastInAt, traffic.lastInAt),
      ...latest("lastOutAt", status.lastOutAt, traffic.lastOutAt),
      errors: withErrors(status.errors, traffic.errors),
    }));
    this.#reported = { state, at: now };
  }

  #state(): Pick<GatewayReport, "state" | "reason"> {
    const health = this.#running.health();
    if (!health.ok) return { state: "failing", reason: health.reason };
    return { state: health.standby ? "standby" : "running" };
  }
}

const latest = (name: string, known: string | undefined, given: string | undefined): Record<string, string> => {
  const time = [known, given]
    .filter((at) => at !== undefined)
    .sort()
    .at(-1);
  return time === undefined ? {} : { [name]: time };
};
