import { Empty, headers, type MsgHdrs, NatsError, type StreamConfig, type StreamInfo } from "nats";
import { DATA_FORMAT } from "../../data-format.ts";
import { isNotFound } from "../connection/nats-fault.ts";
import type { NatsSession } from "../connection/nats-session.ts";

interface Stored {
  /** For a duplicate, the sequence number of the first message. */
  readonly seq: number;
  readonly duplicate?: boolean;
}

interface PubAck extends Partial<Stored> {
  readonly error?: { code: number; err_code: number; description: string };
}

/** Resolves once the server has stored the message. */
export const publishAcked = async (
  { requests }: NatsSession,
  subject: string,
  data: Uint8Array,
  headers: MsgHdrs,
  timeoutMs?: number,
): Promise<Stored> => {
  const answer = await requests.request(subject, data, headers, timeoutMs);
  const { seq, duplicate = false, error } = JSON.parse(answer.string()) as PubAck;
  if (error) {
    const refused = new NatsError(error.description, String(error.code));
    refused.api_error = error;
    throw refused;
  }
  if (seq === undefined) throw new NatsError("the answer is not a publish acknowledgement", "JESTREAM_INVALID_ACK");
  return { seq, duplicate };
};

interface DirectMessage {
  readonly subject: string;
  readonly seq: number;
  readonly data: Uint8Array;
  readonly header: MsgHdrs;
}

/** The last message of a subject, by a direct read: a third of the cost of a request through the stream's leader. */
export const directGet = async (
  { requests }: NatsSession,
  stream: string,
  subject: string,
): Promise<DirectMessage | undefined> => {
  const answer = await requests.request(`$JS.API.DIRECT.GET.${stream}.${subject}`, Empty);
  const header = answer.headers;
  if (header?.code === 404) return undefined;
  if (header === undefined || header.code !== 0) {
    throw new NatsError(`direct read: ${header?.description ?? "no answer"}`, String(header?.code ?? "UNKNOWN_ERROR"));
  }
  return { subject, seq: Number(header.get("Nats-Sequence")), data: answer.data, header };
};

/** Creates the stream unless it exists. Races are safe: the server accepts a second creation with the same configuration. */
export const ensureStream = (
  session: NatsSession,
  config: Partial<StreamConfig> & { name: string },
): Promise<StreamInfo> =>
  session.once(config.name, async () => {
    try {
      return await session.lookups.streams.info(config.name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return await session.jsm.streams.add(config);
    }
  });

/** DATA_FORMAT of the version that wrote a record or message; absent up to 0.2. Older versions ignore the header. */
const FORMAT_HEADER = "Mooring-Format";
const OWN_FORMAT = String(DATA_FORMAT);

/** 0: the version did not write it. */
export const formatOf = (headers: Pick<MsgHdrs, "get"> | undefined): number => Number(headers?.get(FORMAT_HEADER)) || 0;

/** The private field of the client's headers. */
interface HeadersInternals {
  readonly headers: Map<string, string[]>;
}

/** The name of a header, and its value; undefined: the header is left out. */
type Header = readonly [name: string, value: string | undefined];

/**
 * The headers of a record or message, with the format of this version. Names must be in canonical form and values without
 * line breaks: this skips the client's set(), which checks each character of each name at each write.
 */
export const messageHeaders = (...values: readonly Header[]): MsgHdrs => {
  const made = headers();
  const internals = (made as unknown as HeadersInternals).headers;
  internals.set(FORMAT_HEADER, [OWN_FORMAT]);
  for (const [name, value] of values) if (value !== undefined) internals.set(name, [value]);
  return made;
};
