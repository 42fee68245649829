import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { openEmbeddedBackbone } from "../../../core/backbone/embedded/open-embedded-backbone.ts";
import type { AgentReply, Anchor } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { allDeadLetters, type DeadLetter } from "../../../core/contract/ports/bus.ts";
import type { LedgerEntry } from "../../../core/delivery/ledger-entry.ts";
import { ledgerOf } from "../../../core/delivery/ledger-entry.ts";
import { hasLostAccess } from "../../../core/delivery/targets.ts";
import type { RelayContext, RelayLimits } from "../../../gateway/relay/context.ts";
import { defaultRelayLimits } from "../../../gateway/relay/context.ts";
import { CountingMeter } from "../../fakes/counting-meter.ts";
import type { PaperAbility, PaperConfig } from "../../fakes/paper-channel.ts";
import { paperAbilities } from "../../fakes/paper-channel.ts";
import { PaperPlatform } from "../../fakes/paper-platform.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { WatchedClock } from "../../fakes/watched-clock.ts";

export const room = (name: string, channel = "paper"): Conversation => ({ channel, room: name, kind: "shared" });

export interface RelayRig {
  readonly clock: WatchedClock;
  readonly logger: RecordingLogger;
  readonly meter: CountingMeter;
  readonly platform: PaperPlatform;
  readonly backbone: Backbone;
  readonly context: RelayContext;
  readonly checkpoints: Recorder<string>;
  /** The anchor that every delivery gets. */
  anchor: Anchor | null;
  paper(
    resend: "idempotent" | "repeats",
    ability?: PaperAbility,
    more?: Pick<PaperConfig, "editEveryMs" | "streamEveryMs" | "files">,
  ): ChannelAdapter;
  publish(id: string, target: Conversation, markdown: string, more?: Partial<AgentReply>): Promise<void>;
  ledger(replyId: string): Promise<LedgerEntry["state"][]>;
  deadLetters(): Promise<DeadLetter[]>;
  /** Resolves with the dead letters once there are this many. */
  untilDead(count: number): Promise<DeadLetter[]>;
  /** Runs when the rig is closed, the latest first. */
  closes(close: () => Promise<void>): void;
  close(): Promise<void>;
}

/** A backbone, the paper platform, and the dependencies of a relay; time advances only when a test moves it. */
export const openRelayRig = async (limits: Partial<RelayLimits> = {}): Promise<RelayRig> => {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-relay-"));
  const platform = await new PaperPlatform().open();
  const clock = new WatchedClock();
  const logger = new RecordingLogger();
  const meter = new CountingMeter();
  const checkpoints = new Recorder<string>();
  const backbone = await openEmbeddedBackbone({ dataDir, clock, logger, failurePauseMs: 10 });
  const { bus, store } = backbone;
  const identity = { tenant: "default", agent: "mooring" };
  const closers: (() => Promise<void>)[] = [];
  const rig: RelayRig = {
    clock,
    logger,
    meter,
    platform,
    backbone,
    checkpoints,
    anchor: null,
    context: {
      ...identity,
      bus,
      store,
      clock,
      logger,
      meter,
      checkpoint: (name) => checkpoints.add(name),
      random: () => 1,
      targetsOn: async (channel, { audience: { conversation } }) =>
        conversation.channel === channel ? [{ conversation }] : [],
      isStillTarget: async () => true,
      hasLostAccess,
      reportUndeliverable: async () => undefined,
      afterRefusal: async () => undefined,
      privateConversationOf: async () => undefined,
      anchorIn: async () => rig.anchor,
      limits: { ...defaultRelayLimits, ...limits },
      files: { maxBytes: 20_000_000, keepDays: 7 },
    },
    paper(resend, ability = "none", more = {}) {
      platform.recognisesKeys = resend === "idempotent";
      const { apiUrl, token, secret } = platform;
      const config = { apiUrl, token, secret, resend, timeoutMs: 60_000, ...more };
      const context = { ...identity, channel: "paper", clock, newId: () => "id" };
      return new paperAbilities[ability](config, context);
    },
    async publish(id, target, markdown, more) {
      const subject = subjectsOf("default").userResponse("mooring");
      await bus.publish(subject, sampleReply(id, target, markdown, more), { id, key: conversationKey(target) });
    },
    async ledger(replyId) {
      return (await allOf(store.list(ledgerOf(replyId)))).map(({ state }) => state);
    },
    async deadLetters() {
      return allOf(store.list(allDeadLetters()));
    },
    async untilDead(count) {
      const isDead = ({ message }: { message: string }) => message === "dead letter stored";
      await logger.lines.until((lines) => lines.filter(isDead).length >= count);
      for (;;) {
        const letters = await rig.deadLetters();
        if (letters.length >= count) return letters;
        await new Promise((nextPass) => setImmediate(nextPass));
      }
    },
    closes: (close) => void closers.push(close),
    async close() {
      for (const close of closers.reverse()) await close();
      await backbone.close();
      await platform.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return rig;
};

const allOf = async <T>(listed: AsyncIterable<{ value: T }>): Promise<T[]> => {
  const values: T[] = [];
  for await (const { value } of listed) values.push(value);
  return values;
};
