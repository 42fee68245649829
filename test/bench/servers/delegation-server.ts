import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackboneConfig } from "../../../core/backbone/config.ts";
import { openBackbone } from "../../../core/backbone/drivers.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { PersonMessage } from "../../../core/contract/messages/user-message.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { startCore } from "../../../core/start-core.ts";
import { whenHealthy } from "../../../gateway/backbone-health.ts";
import { DELEGATE, delegatingModel } from "../delegating-model.ts";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";

/** A core that runs plain turns, or batches of three subtasks, and reports the duration. */
const [natsUrl] = process.argv.slice(2);
const SESSIONS = 50;
const dataDir = await mkdtemp(join(tmpdir(), "mooring-bench-"));
const config = BackboneConfig.parse(natsUrl ? { nats: { servers: [natsUrl] } } : "embedded");
// Message ids are kept for two minutes, ended work for an hour: a fast wall clock lets both expire.
const clock = { ...systemClock, now: () => systemClock.now() + systemClock.monotonic() * 100 };
const backbone = await openBackbone(config, { dataDir, clock, logger: silentLogger });
await whenHealthy(backbone, clock, new AbortController().signal);
const core = await startCore({
  backbone,
  agents: [{ name: "bench", tenant: "default", model: delegatingModel }],
  clock,
  logger: silentLogger,
  meter: silentMeter,
  concurrency: 1_000,
});

const subjects = subjectsOf("default");
const waiting = new Map<string, () => void>();
/** The last reply to a message: its answer, or for a delegating one the answer without a correlation id. */
await backbone.bus.consume(
  subjects.userResponse("bench"),
  { durable: "bench-relay", concurrency: 1_000 },
  async (reply) => {
    const { kind, correlationId, origin, traceId } = reply;
    if (kind === "final" && (correlationId === undefined) === (origin?.promptSummary === DELEGATE))
      waiting.get(traceId)?.();
    return ack;
  },
);

let serial = 0;
const ask = async (session: number, text: string): Promise<void> => {
  const id = `bench:${++serial}`;
  const message: PersonMessage = {
    kind: "message",
    id,
    tenant: "default",
    agent: "bench",
    conversation: { channel: "bench", room: `room ${session}`, kind: "private" },
    account: { id: `account ${session}`, name: "Somebody" },
    text,
    attachments: [],
    sentAt: new Date().toISOString(),
    traceId: id,
  };
  const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
  await backbone.bus.publish(subjects.userMessage("bench"), message, {
    id,
    key: conversationKey(message.conversation),
  });
  await answered;
  waiting.delete(id);
};

/** Milliseconds for this many messages, one after the other in each session. */
const pass = async (text: string, count: number): Promise<number> => {
  const begun = performance.now();
  let left = count;
  const session = async (_: unknown, index: number): Promise<void> => {
    while (left-- > 0) await ask(index, text);
  };
  await Promise.all(Array.from({ length: SESSIONS }, session));
  return performance.now() - begun;
};

answerQuestions(
  0,
  {
    plain: (count) => pass("Please note this down.", Number(count)),
    batches: (count) => pass(DELEGATE, Number(count)),
    memory: memoryInUse,
  },
  async () => {
    await core.stop();
    await backbone.close();
    await rm(dataDir, { recursive: true, force: true });
  },
);
