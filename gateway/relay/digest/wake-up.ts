import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { DigestDue, RequestOf } from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Consumer } from "../../../core/contract/ports/bus.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { HeldRecord } from "../../../core/delivery/undelivered/index.ts";
import { changeHeld } from "../../../core/delivery/undelivered/index.ts";
import type { RelayContext } from "../context.ts";

/** Adds a wake-up at this time, unless an earlier one is set. */
export const withWakeUp = (record: HeldRecord, at: number, now: number): HeldRecord => {
  const { wakeAt } = record;
  if (wakeAt !== undefined && wakeAt > now && wakeAt <= at) return record;
  return { ...record, wakes: record.wakes + 1, wakeAt: at };
};

/** Publishes the record's latest wake-up, so that it survives this process. Idempotent. */
export const setWakeUp = async (
  { bus, tenant }: RelayContext,
  target: Conversation,
  { wakes, wakeAt }: HeldRecord,
): Promise<void> => {
  if (wakeAt === undefined) return;
  const id = wakeUpId(target, wakes);
  // Each wake-up has a key of its own: a later one may be for an earlier time.
  await bus.publish(
    subjectsOf(tenant).digestDue(target.channel),
    { target, at: wakeAt, number: wakes },
    { id, key: id },
  );
};

/** Sets another wake-up after a digest request became a dead letter. */
export const wakeUpLater = async (context: RelayContext, target: Conversation): Promise<void> => {
  const { store, clock, limits } = context;
  const now = clock.now();
  const record = await changeHeld(store, target, (before) =>
    before.items.length === 0 ? before : withWakeUp(before, now + limits.retry.maxPauseMs, now),
  );
  if (record.items.length > 0) await setWakeUp(context, target, record);
};

/** Waits for each wake-up, then queues it behind the other deliveries of its conversation. */
export const startWakeUps = (context: RelayContext, channel: string): Promise<Consumer> => {
  const { bus, clock, tenant, limits } = context;
  const subjects = subjectsOf(tenant);
  return bus.consume(
    subjects.digestDue(channel),
    { durable: `digest-${channel}`, concurrency: limits.concurrency },
    async (due) => {
      const leftMs = due.at - clock.now();
      if (leftMs > 0) return { retryInMs: leftMs };
      const request = dueRequest(context, due);
      const options = { id: request.id, key: conversationKey(due.target) };
      await bus.publish(subjects.delivery(channel), request, options);
      return ack;
    },
  );
};

const wakeUpId = (target: Conversation, number: number): string => `digest-due/${conversationKey(target)}/${number}`;

const dueRequest = ({ tenant, agent }: RelayContext, { target, at, number }: DigestDue): RequestOf<"digest"> => {
  const id = wakeUpId(target, number);
  return {
    kind: "digest",
    id,
    target,
    digestDue: true,
    reply: {
      id,
      tenant,
      agent,
      sessionId: null,
      kind: "notice",
      markdown: "",
      origin: null,
      audience: { conversation: target, personId: null },
      createdAt: isoTime(at),
      traceId: id,
    },
  };
};
