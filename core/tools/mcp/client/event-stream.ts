import { type FloodLimit, MAX_MESSAGE_BYTES } from "./flood-limit.ts";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Counts events and the bytes of the current one. An event has any number of lines and ends with an empty one. */
class EventCounter {
  /** The stream names its events, so a client that was cut off asks for the rest of it. */
  isResumable = false;
  /** It had the answer to a request. */
  hasAnswer = false;
  #eventBytes = 0;
  #lineBytes = 0;
  #lastByte = 0;

  /** The number of events that end in these bytes. */
  add(chunk: Buffer): number {
    let events = 0;
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const length = this.#lineBytes + end - from;
      const last = end > from ? chunk[end - 1] : this.#lastByte;
      const isEmpty = length === 0 || (length === 1 && last === CARRIAGE_RETURN);
      if (chunk.toString("latin1", from, from + ID.length) === ID) this.isResumable = true;
      if (isEmpty) events++;
      this.#eventBytes = isEmpty ? 0 : this.#eventBytes + length;
      this.#lineBytes = 0;
      from = end + 1;
    }
    this.#lineBytes += chunk.length - from;
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
    this.hasAnswer ||= ANSWERS.some((member) => chunk.includes(member));
    return events;
  }

  get isTooLarge(): boolean {
    return this.#eventBytes + this.#lineBytes > MAX_MESSAGE_BYTES;
  }
}

const ID = "id:";
const ANSWERS = ['"result"', '"error"'];

interface EventLimits {
  readonly flood: FloodLimit;
  /** The id of the request that the stream answers. */
  readonly request: string | number | undefined;
  /** Makes the error for a server that has sent too much. */
  broken(rule: string): Error;
  /** Called when the stream has ended, failed or been cancelled. */
  end(): void;
}

/**
 * Bounds a stream of events, which may stay open for days. If it ends without an answer and cannot be resumed, the request
 * gets an error, because the SDK would wait for its time limit.
 */
export const boundedEvents = (
  body: ReadableStream<Uint8Array>,
  { flood, request, broken, end }: EventLimits,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  const counter = new EventCounter();
  const isLost = () => request !== undefined && !counter.hasAnswer && !counter.isResumable;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, error } = await nextChunk(reader);
      if (value === undefined) {
        end();
        if (isLost()) controller.enqueue(lostAnswer(request));
        else if (error !== undefined) throw error;
        return controller.close();
      }
      const events = counter.add(value);
      const rule = counter.isTooLarge ? TOO_LARGE : flood.add(events, value.length);
      if (rule === undefined) return controller.enqueue(value);
      end();
      const reason = broken(rule);
      void reader.cancel(reason).catch(() => {});
      throw reason;
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
};

export const TOO_LARGE = `it sent more than ${MAX_MESSAGE_BYTES} bytes at once`;

/** Without a value, the stream has ended; it failed if there is an error. */
const nextChunk = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ readonly value?: Buffer; readonly error?: unknown }> => {
  try {
    const { value } = await reader.read();
    return value === undefined ? {} : { value: Buffer.from(value.buffer, value.byteOffset, value.byteLength) };
  } catch (error) {
    return { error };
  }
};

/** The code of the SDK for a connection that was closed; servers use it for other errors too. */
const CONNECTION_CLOSED = -32_000;
export const LOST_ANSWER = "the connection ended before the answer";

const lostAnswer = (id: string | number | undefined): Uint8Array => {
  const error = { code: CONNECTION_CLOSED, message: LOST_ANSWER };
  return Buffer.from(`\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, error })}\n\n`);
};
