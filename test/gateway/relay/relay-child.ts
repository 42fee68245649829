import { randomUUID } from "node:crypto";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../../core/contract/messages/user-message.ts";
import { ack, allDeadLetters } from "../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { ledgerOf } from "../../../core/delivery/ledger-entry.ts";
import { hasLostAccess } from "../../../core/delivery/targets.ts";
import { reportUndeliverable } from "../../../core/delivery/undelivered/undeliverable-report.ts";
import { undeliverableResultOf } from "../../../core/delivery/undelivered/undeliverable-result.ts";
import { storeFile } from "../../../core/files/index.ts";
import { defaultRelayLimits, defaultRetryLimits } from "../../../gateway/relay/context.ts";
import { runChannel } from "../../../gateway/relay/run-channel.ts";
import { openForChild } from "../../contract/open-for-child.ts";
import { paperAbilities } from "../../fakes/paper-channel.ts";
import { sampleActivity } from "../../fakes/sample-activity.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import type { FromRelayChild, RelayChildOptions } from "./relay-process.ts";

/** A gateway with the paper channel, and an echo instead of an agent: it answers at once, after work, late, or as a schedule. */
const options: RelayChildOptions = JSON.parse(process.argv[2] ?? "");
const { backbone, apiUrl, token, secret, resend, ability, crashAt } = options;
const identity = { tenant: "default", agent: "mooring" };
const subjects = subjectsOf(identity.tenant);
const tell = (message: FromRelayChild) => process.send?.(message);

let passed = 0;
const checkpoint = (name: string): Promise<void> | void => {
  if (name !== crashAt?.checkpoint || ++passed < crashAt.time) return;
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
};

const echo = (id: string, conversation: Conversation, text: string) =>
  sampleReply(`reply-${id}`, conversation, text, {
    createdAt: new Date().toISOString(),
    ...(isWritten(text) && { correlationId: id }),
  });
const isWritten = (text: string): boolean => text.startsWith("written ");
/** Signals a word every few milliseconds, as a model writes. */
const write = async ({ id, conversation }: UserMessage, attempt: number) => {
  let offset = 0;
  for (const text of ["a ", "text ", "that ", "grows ", "and ", "grows"]) {
    const delta = { conversation, correlationId: id, replyId: `reply-${id}`, attempt, offset, text };
    bus.signal(subjects.userSignal(identity.agent), { type: "delta", ...delta });
    offset += text.length;
    await new Promise((resolve) => systemClock.after(15, () => resolve(undefined)));
  }
};
/** The reply of a schedule to a room that no longer exists. */
const scheduled = (id: string) => {
  const origin = {
    channel: "scheduled",
    promptSummary: "Stretch",
    startedAt: new Date().toISOString(),
    sessionId: "s-2",
  };
  return { ...echo(id, { channel: "paper", room: "gone", kind: "shared" }, "stretch"), origin };
};
const home = { conversation: { channel: "paper", room: "home", kind: "shared" as const } };
/** Replies created long ago, as after an outage of the gateway. */
const lateReplies = (id: string, conversation: Conversation) => {
  const createdAt = new Date(Date.now() - 20 * 60_000).toISOString();
  return [1, 2, 3].map((n) => sampleReply(`reply-${id}/${n}`, conversation, `late ${n}`, { createdAt }));
};

const { bus, store } = await openForChild(backbone);
/** "one with files" gets two files, as from a tool. */
const filesFor = (text: string) =>
  Promise.all(
    (text.endsWith("with files") ? ["a.txt", "b.txt"] : []).map((name) =>
      storeFile(store, `file-${name}`, { name, mediaType: "text/plain", bytes: Buffer.from(`content of ${name}`) }),
    ),
  );
await bus.consume(
  subjects.userMessage(identity.agent),
  { durable: "echo", concurrency: 8 },
  async (message, received) => {
    const { id, conversation, text } = message;
    if (isWritten(text)) await write(message, received.attempt);
    const states = text === "work" ? [1, 2, 3] : [];
    const replies = [
      ...states.map((revision) => sampleActivity(id, conversation, revision)),
      ...(text === "scheduled" ? [scheduled(id)] : []),
      ...(text === "late" ? lateReplies(id, conversation) : [echo(id, conversation, text)]),
    ];
    const files = await filesFor(text);
    for (const each of replies) {
      const reply = { ...each, ...(files.length > 0 && { files }) };
      const options = { id: reply.id, key: conversationKey(conversation) };
      await bus.publish(subjects.userResponse(identity.agent), reply, options);
    }
    return ack;
  },
);

const config = {
  apiUrl,
  token,
  secret,
  resend,
  timeoutMs: 60_000,
  editEveryMs: 20,
  streamEveryMs: 5,
  files: { maxBytes: 1_000, maxCount: 1 },
};
const context = { ...identity, channel: "paper", clock: systemClock, newId: randomUUID };
const adapter = new paperAbilities[ability ?? "none"](config, context);
const retry = { ...defaultRetryLimits, firstPauseMs: 5 };
await runChannel(
  {
    ...identity,
    bus,
    store,
    clock: systemClock,
    logger: silentLogger,
    meter: silentMeter,
    checkpoint,
    random: Math.random,
    targetsOn: async (channel, { audience: { conversation } }) =>
      conversation.channel === channel ? [{ conversation }] : [],
    isStillTarget: async () => true,
    hasLostAccess,
    reportUndeliverable: async (reply, target, why) => {
      const result = undeliverableResultOf(reply, target, why);
      const parts = { bus, store, clock: systemClock, logger: silentLogger, checkpoint, home, hasChannel: () => true };
      if (result) await reportUndeliverable(parts, result, reply);
    },
    afterRefusal: async () => undefined,
    privateConversationOf: async () => undefined,
    anchorIn: async () => null,
    limits: { ...defaultRelayLimits, retry, settledAfterMs: 20, gatherMs: 200, streamAfterMs: 5 },
    files: { maxBytes: 20_000_000, keepDays: 7 },
  },
  adapter,
  "gateway",
);
const host = await new WebhookHost().open();
host.mount(adapter);

process.on("message", async (replyId: string) => {
  const ledger: string[] = [];
  const dead: string[] = [];
  for await (const { value } of store.list(ledgerOf(replyId))) ledger.push(value.state);
  for await (const { value } of store.list(allDeadLetters())) dead.push(value.reason);
  tell({ say: "state", ledger, dead });
});
tell({ say: "ready", webhookUrl: host.urlOf("paper", "events") });
