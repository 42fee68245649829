import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Delivery } from "../../adapters/contract/channel-adapter.ts";
import { openEmbeddedBackbone } from "../../core/backbone/embedded/open-embedded-backbone.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import { systemClock as clock } from "../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../core/contract/ports/telemetry.ts";
import { accountKey, personKey, unlinkedPersonId } from "../../core/people/person-record.ts";
import { startCore } from "../../core/start-core.ts";
import { type ChannelRules, relayContext } from "../../gateway/channel-contexts.ts";
import { runChannel } from "../../gateway/relay/run-channel.ts";
import { LogChannel } from "../fakes/log-channel.ts";
import { type MessageFields, sampleMessage } from "../fakes/sample-message.ts";
import { type Script, ScriptedModel } from "../fakes/scripted-model.ts";

const agentRef = { tenant: "default", agent: "mooring" };
const CHANNELS = ["web", "web-b"] as const;
type Channel = (typeof CHANNELS)[number];

export const privateRoom = (channel: Channel, account: string): Conversation => ({
  channel,
  room: `room-of-${account}`,
  kind: "private",
});
export const lobby = (channel: Channel): Conversation => ({ channel, room: "lobby", kind: "shared" });

/** Core, two channels and their relays in one process; `restart` drops all in-memory state. */
export class LinkedProduct {
  readonly model: ScriptedModel;
  readonly backbone: Backbone;
  channels: Record<Channel, LogChannel>;
  /** The configured rules, which a restart applies. */
  rules: (channel: Channel) => ChannelRules = () => ({});
  readonly #dataDir: string;
  #stop: () => Promise<void> = async () => {};
  #said = 0;

  private constructor(dataDir: string, backbone: Backbone, script: Script) {
    this.#dataDir = dataDir;
    this.backbone = backbone;
    this.model = new ScriptedModel(script);
    this.channels = { web: new LogChannel("web"), "web-b": new LogChannel("web-b") };
  }

  static async start(script: Script): Promise<LinkedProduct> {
    const dataDir = await mkdtemp(join(tmpdir(), "mooring-linked-"));
    const backbone = await openEmbeddedBackbone({ dataDir, logger, failurePauseMs: 2 });
    const product = new LinkedProduct(dataDir, backbone, script);
    await product.restart();
    return product;
  }

  async restart(): Promise<void> {
    await this.#stop();
    const { backbone, model } = this;
    const { home, hasChannel } = this.rules("web");
    const agents = [{ ...agentRef, name: "mooring", model, home, ...(hasChannel && { hasChannel }) }];
    const core = await startCore({ backbone, agents, clock, logger, meter, stopGraceMs: 50 });
    const running = await Promise.all(
      CHANNELS.map((channel) => {
        const parts = { ...agentRef, channel, publicUrl: "http://localhost", backbone, clock, logger, meter };
        const context = relayContext({ ...parts, newId: () => "id" }, this.rules(channel));
        return runChannel(context, this.channels[channel], "gateway");
      }),
    );
    this.#stop = async () => {
      await Promise.all([core.stop(), ...running.map((channel) => channel.stop())]);
    };
  }

  /** Makes the accounts one person, as `link` does. */
  async link(first: [Channel, string], second: [Channel, string]): Promise<void> {
    const { store } = this.backbone;
    const id = unlinkedPersonId("default", ...first);
    const accounts = [first, second].map(([channel, accountId], joined) => ({
      channel,
      accountId,
      name: "Ann",
      since: "2026-01-01T00:00:00.000Z",
      joined,
    }));
    const person = { id, tenant: "default", membership: 1, accounts, surfaces: [] };
    await store.put(personKey("default", id), person);
    for (const { channel, accountId } of accounts) {
      await store.put(accountKey({ tenant: "default", channel, accountId }), { personId: id });
    }
  }

  /** Makes the second account a separate person again, as `unlink` does. */
  async unlink(first: [Channel, string], [channel, accountId]: [Channel, string]): Promise<void> {
    const { store } = this.backbone;
    const key = personKey("default", unlinkedPersonId("default", ...first));
    const found = await store.get(key);
    if (found === undefined) return;
    const stays = (one: { channel: string; accountId: string }) =>
      one.channel !== channel || one.accountId !== accountId;
    const { accounts, surfaces, membership } = found.value;
    const rest = { accounts: accounts.filter(stays), surfaces: surfaces.filter(stays), membership: membership + 1 };
    await store.put(key, { ...found.value, ...rest });
    await store.delete(accountKey({ tenant: "default", channel, accountId }));
  }

  /** Resolves to the message's id once it is stored. */
  async say(conversation: Conversation, text: string, more: MessageFields = {}): Promise<string> {
    const id = `m-${++this.#said}`;
    const channel = this.channels[conversation.channel as Channel];
    const sentAt = new Date().toISOString();
    await channel.inbox?.accept(sampleMessage({ id, ...agentRef, conversation, text, sentAt, ...more }));
    return id;
  }

  async ask(conversation: Conversation, text: string, more: MessageFields = {}): Promise<Delivery> {
    const id = await this.say(conversation, text, more);
    return this.shown(conversation, ({ reply }) => reply.correlationId === id);
  }

  command(conversation: Conversation, name: string, args = "", more: MessageFields = {}): Promise<Delivery> {
    return this.ask(conversation, "", { command: { name, args }, ...more });
  }

  /** The first delivery in the conversation that matches. */
  async shown({ channel, room }: Conversation, isIt: (delivery: Delivery) => boolean): Promise<Delivery> {
    const { deliveries } = this.channels[channel as Channel];
    const matches = (delivery: Delivery) => delivery.target.room === room && isIt(delivery);
    const all = await deliveries.until((items) => items.some(matches));
    return all.find(matches) as Delivery;
  }

  answers({ channel, room }: Conversation): Delivery[] {
    const { items } = this.channels[channel as Channel].deliveries;
    return items.filter(
      ({ target, reply }) => target.room === room && reply.kind === "final" && reply.correlationId === undefined,
    );
  }

  async dispose(): Promise<void> {
    await this.#stop();
    await this.backbone.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

export const isAnswer = ({ reply }: Delivery): boolean => reply.kind === "final" && reply.correlationId === undefined;
