import type { Msg, StoredMsg } from "nats";
import { AckPolicy, DeliverPolicy, NatsError, nanos, nuid } from "nats";
import { ackAddress } from "./ack-address.ts";
import type { NatsSession } from "./nats-session.ts";

export interface Scanned extends Pick<StoredMsg, "subject" | "seq" | "data" | "header"> {
  /** Wall clock of the server, milliseconds. */
  readonly storedAt: number;
}

/**
 * Every message under the filter, up to the end of the stream, which is reached when a pull finds no more. The server's
 * count of pending messages says so neither way: it is wrong once an entry is overwritten under the scan. For the same
 * reason this is no "last per subject" consumer: that one takes an overwritten entry for the end.
 */
export const scanStream = async (
  session: NatsSession,
  stream: string,
  filter: string,
  headersOnly: boolean,
  found: (message: Scanned) => void,
): Promise<void> => {
  const { nc, lookups } = session;
  const { name, num_pending } = await lookups.consumers.add(stream, {
    name: `scan_${nuid.next()}`,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.All,
    filter_subject: filter,
    headers_only: headersOnly,
    inactive_threshold: nanos(ABANDONED_AFTER_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  try {
    if (num_pending > 0) await pullAll(session, `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, found);
  } finally {
    // Best effort: the server drops an abandoned one by itself.
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
    // "No messages" and "expired" end a pull at the end of the stream. Anything else: ask again later.
    const status = (code: number) => {
      const failure = code === 503 ? "503" : "TIMEOUT";
      end(code === 404 || code === 408 ? undefined : new NatsError(failure, failure));
    };
    const take = (error: Error | null, message: Msg) => {
      if (error) return end(error);
      const place = message.reply === undefined ? undefined : ackAddress(message.reply);
      if (place === undefined) return status(message.headers?.code ?? 0);
      // A message was lost between two nodes of a cluster: the list would lack an entry without any sign of it.
      if (place.consumerSeq !== ++arrived) return end(new NatsError("TIMEOUT", "TIMEOUT"));
      received++;
      const { subject, data, headers } = message;
      found({ subject, data, seq: place.seq, storedAt: place.storedAt, header: headers as StoredMsg["header"] });
      if (received === BATCH) pull();
    };
    const subscription = nc.subscribe(inbox, { callback: take });
    // It also closes with the connection. Ending what has ended changes nothing.
    void subscription.closed.then(() => end(new NatsError("CONNECTION_CLOSED", "CONNECTION_CLOSED")));
    pull();
  });

const BATCH = 500;
/** How long a pull waits that finds nothing at all. */
const PULL_MS = 500;
const ABANDONED_AFTER_MS = 60_000;
