import { conversationKey } from "../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { PersonMessage } from "../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import { ack } from "../../core/contract/ports/bus.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { silentMeter } from "../../core/contract/ports/telemetry.ts";
import { type AgentOptions, startCore } from "../../core/start-core.ts";
import { instantModel } from "./instant-model.ts";

export const messageIn = (room: string, accountId: string, n: number): PersonMessage => ({
  kind: "message",
  id: `bench:${room}:${n}`,
  tenant: "default",
  agent: "bench",
  conversation: { channel: "bench", room, kind: "private" },
  account: { id: accountId, name: "Somebody" },
  text: "Please note this down.",
  attachments: [],
  sentAt: new Date().toISOString(),
  traceId: `trace ${n}`,
});

export interface CoreOnBus {
  /** Resolves when the reply arrives. */
  ask(room: string, accountId: string): Promise<void>;
  stop(): Promise<void>;
}

/** A message on the bus, its turn, its reply on the bus: the core of the product, without a channel. */
export const startCoreOnBus = async (backbone: Backbone, agent: Partial<AgentOptions> = {}): Promise<CoreOnBus> => {
  const subjects = subjectsOf("default");
  const waiting = new Map<string, () => void>();
  const core = await startCore({
    backbone,
    agents: [{ name: "bench", tenant: "default", model: instantModel, ...agent }],
    clock: systemClock,
    logger: silentLogger,
    meter: silentMeter,
  });
  const replies = { durable: "bench-relay", concurrency: 1_000, from: "now" } as const;
  const relay = await backbone.bus.consume(subjects.userResponse("bench"), replies, async ({ correlationId = "" }) => {
    waiting.get(correlationId)?.();
    waiting.delete(correlationId);
    return ack;
  });
  let serial = 0;
  return {
    async ask(room, accountId) {
      const message = messageIn(room, accountId, ++serial);
      const replied = new Promise<void>((resolve) => waiting.set(message.id, resolve));
      const options = { id: message.id, key: conversationKey(message.conversation) };
      await backbone.bus.publish(subjects.userMessage("bench"), message, options);
      await replied;
    },
    async stop() {
      await relay.close();
      await core.stop();
    },
  };
};
