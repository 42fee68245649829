import { once } from "node:events";
import { formatSSEErrorEvent, formatSSEEvent, SSE_HEADERS } from "@a2a-js/sdk";
import type { FastifyReply } from "fastify";
import type { Clock } from "../../../core/contract/ports/clock.ts";

interface EventStream {
  readonly events: AsyncGenerator<unknown, void, undefined>;
  /** Response for an error before the first event; a later error is sent as the last event. */
  readonly failure: (error: unknown) => { status: number; body: unknown };
  readonly clock: Clock;
}

/** Proxies close connections that are silent for a minute. */
const KEEP_ALIVE_MS = 15_000;

/** Streams events with backpressure. The task continues if the client disconnects. */
export const sendEvents = async (reply: FastifyReply, { events, failure, clock }: EventStream): Promise<void> => {
  let first: IteratorResult<unknown>;
  try {
    first = await events.next();
  } catch (error) {
    const { status, body } = failure(error);
    await reply.code(status).type("application/json").send(JSON.stringify(body));
    return;
  }
  const { raw } = reply;
  const headers = { ...reply.getHeaders(), ...lowerCased(SSE_HEADERS) };
  reply.hijack();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200);
  const closed = new AbortController();
  raw.once("close", () => {
    closed.abort();
    void events.return();
  });
  const write = async (text: string): Promise<void> => {
    if (raw.destroyed || raw.write(text)) return;
    await once(raw, "drain", { signal: closed.signal }).catch(() => undefined);
  };
  let timer = clock.after(KEEP_ALIVE_MS, keepAlive);
  let isBehind = false;
  function keepAlive() {
    // A client that has read nothing since the last keep-alive is treated as disconnected.
    if (isBehind && raw.writableNeedDrain) raw.destroy();
    isBehind = raw.writableNeedDrain;
    if (!raw.destroyed && !isBehind) raw.write(": keep-alive\n\n");
    timer = clock.after(KEEP_ALIVE_MS, keepAlive);
  }
  try {
    for (let event = first; !event.done && !raw.destroyed; event = await events.next()) {
      await write(formatSSEEvent(event.value));
    }
  } catch (error) {
    await write(formatSSEErrorEvent(failure(error).body));
  } finally {
    timer.cancel();
    raw.end();
  }
};

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
