import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../core/contract/ports/telemetry.ts";
import type { Tool } from "../../../core/contract/tool.ts";
import type { Rights } from "../../../core/rights/rights.ts";
import { type AgentOptions, startCore } from "../../../core/start-core.ts";
import { defaultPeering } from "../../../core/turns/limits/agent-limits.ts";
import { relayContext } from "../../../gateway/channel-contexts.ts";
import { ChannelReporter } from "../../../gateway/channel-status/channel-reporter.ts";
import { ChannelTraffic } from "../../../gateway/channel-status/channel-traffic.ts";
import { runChannel } from "../../../gateway/relay/run-channel.ts";
import { userMessage } from "../../core/core-under-test.ts";
import { LogChannel } from "../../fakes/log-channel.ts";
import { type Script, ScriptedModel } from "../../fakes/scripted-model.ts";

/** An agent with one channel and its own platform, on a shared backbone. */
export class RunningAgent {
  readonly channel: LogChannel;
  readonly #stop: () => Promise<void>;

  private constructor(channel: LogChannel, stop: () => Promise<void>) {
    this.channel = channel;
    this.#stop = stop;
  }

  /** Other agents that it may message. */
  static async start(
    backbone: Backbone,
    script: Script,
    peers: readonly AgentOptions[] = [],
    { tools = [], rights }: { readonly tools?: readonly Tool[]; readonly rights?: Rights } = {},
  ): Promise<RunningAgent> {
    const agentRef = { tenant: "default", agent: "mooring" };
    const own = {
      name: "mooring",
      tenant: "default",
      model: new ScriptedModel(script),
      rights,
      peers: peers.map(nameOf),
      // Late answers are reported at once.
      peering: { ...defaultPeering, lateWindowMs: 0 },
    };
    const tenants = { default: { a2aAsync: true } };
    const agents = [own, ...peers];
    const core = await startCore({ backbone, agents, tools, tenants, clock, logger, meter, stopGraceMs: 50 });
    const channel = new LogChannel("web", { connection: "shared", resend: "idempotent" });
    const traffic = new ChannelTraffic(clock);
    const common = { backbone, clock, logger, meter: traffic.metered(meter), newId: () => "id" };
    const parts = { ...agentRef, ...common, channel: "web", publicUrl: "http://localhost" };
    const running = await runChannel(relayContext(parts), channel, "gateway");
    const reporting = { bus: backbone.bus, store: backbone.store, clock, logger, instance: "gateway-1" };
    const reporter = new ChannelReporter(reporting, { tenant: "default", channel: "web" }, running, traffic);
    await reporter.start();
    return new RunningAgent(channel, async () => {
      await reporter.stop();
      await Promise.all([core.stop(), running.stop()]);
    });
  }

  async say(id: string, text: string): Promise<void> {
    await this.channel.inbox?.accept(userMessage(id, text));
  }

  /** The first n final replies that were delivered. */
  async finals(count: number): Promise<string[]> {
    const isFinal = ({ reply }: { reply: { kind: string } }) => reply.kind === "final";
    const all = await this.channel.deliveries.until((items) => items.filter(isFinal).length >= count);
    return all.filter(isFinal).map(({ reply }) => reply.markdown);
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

const nameOf = ({ name }: AgentOptions): string => name;
