import { AckPolicy, DeliverPolicy, type Msg, NatsError, nanos, nuid, type StoredMsg } from "nats";
import type { NatsSession } from "../connection/nats-session.ts";
import { ackAddress, storedNanos } from "./envelope.ts";

interface Scanned extends Pick<StoredMsg, "subject" | "seq" | "data" | "header"> {
  /** Wall clock of the server, milliseconds. */
  readonly storedAt: number;
  /** The same in nanoseconds. */
  readonly time: number;
}

/**
 * Passes each message under the filter to `found`, up to the end of the stream, that is, until a pull finds no more. The
 * server's count of pending messages cannot tell the end: it is wrong once an entry is overwritten during the scan. A
 * "last per subject" consumer does not work either: it takes an overwritten entry for the end.
 */
export const scanStream = async (
  session: NatsSession,
  stream: string,
  filter: string,
  headersOnly: boolean,
  found: (message: Scanned) => void,
  from = 1,
): Promise<void> => {
  const { nc, lookups } = session;
  const { name, num_pending } = await lookups.consumers.add(stream, {
    name: `scan_${nuid.next()}`,
    ack_policy: AckPolicy.None,
    ...(from > 1
      ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }
      : { deliver_policy: DeliverPolicy.All }),
    filter_subject: filter,
    headers_only: headersOnly,
    inactive_threshold: nanos(ABANDONED_AFTER_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  try {
    if (num_pending > 0) await pullAll(session, `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, found);
  } finally {
    // Best effort: the server deletes an inactive consumer after ABANDONED_AFTER_MS.
    if (!nc.isClosed()) lookups.consumers.delete(stream, name).catch(() => undefined);
  }
};

const pullAll = (
  { nc, lookups, newInbox }: NatsSession,
  next: string,
  found: (message: Scanned) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const inbox = newInbox();
    let silence: NodeJS.Timeout;
    let received = 0;
    let arrived = 0;
    const end = (error?: Error) => {
      clearTimeout(silence);
      subscription.unsubscribe();
      if (error) reject(error);
      else resolve();
    };
    const pull = () => {
      received = 0;
      clearTimeout(silence);
      silence = setTimeout(() => end(new NatsError("TIMEOUT", "TIMEOUT")), lookups.getOptions().timeout ?? 5_000);
      nc.publish(next, JSON.stringify({ batch: BATCH, no_wait: true, expires: nanos(PULL_MS) }), { reply: inbox });
    };
    // "No messages" and "expired" mean the end of the stream. Any other status is retried as an interruption.
    const status = (code: number) => {
      const failure = code === 503 ? "503" : "TIMEOUT";
      end(code === 404 || code === 408 ? undefined : new NatsError(failure, failure));
    };
    const take = (error: Error | null, message: Msg) => {
      if (error) return end(error);
      const address = message.reply === undefined ? undefined : ackAddress(message.reply);
      if (address === undefined) return status(message.headers?.code ?? 0);
      // A gap: a message was lost between two nodes of a cluster, so the list would lack an entry.
      if (address.consumerSeq !== ++arrived) return end(new NatsError("TIMEOUT", "TIMEOUT"));
      received++;
      const { subject, data, headers } = message;
      const time = storedNanos(message.reply ?? "");
      const { seq, storedAt } = address;
      found({ subject, data, seq, storedAt, time, header: headers as StoredMsg["header"] });
      if (received === BATCH) pull();
    };
    const subscription = nc.subscribe(inbox, { callback: take });
    // The subscription also closes with the connection. A second end() has no effect.
    void subscription.closed.then(() => end(new NatsError("CONNECTION_CLOSED", "CONNECTION_CLOSED")));
    pull();
  });

const BATCH = 500;
/** Server-side timeout of a pull that finds no message. */
const PULL_MS = 500;
const ABANDONED_AFTER_MS = 60_000;
