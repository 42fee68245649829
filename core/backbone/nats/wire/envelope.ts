import type { Msg, MsgHdrs } from "nats";
import { MAX_ID_LENGTH } from "../../../contract/ports/bus.ts";
import { decodeToken, encodeToken } from "../../../contract/ports/token.ts";
import type { QueuedMessage } from "../../key-lanes.ts";
import { messageHeaders } from "./jetstream-requests.ts";

export interface Envelope {
  /** The subject without its partition. It prefixes the id, because the server detects duplicates per stream. */
  readonly subject: string;
  readonly id: string;
  readonly key: string | undefined;
  readonly publishedAt: number;
}

/** Id and key are encoded, so that they may contain any character. */
export const envelopeHeaders = ({ subject, id, key, publishedAt }: Envelope): MsgHdrs =>
  messageHeaders({
    [ID_HEADER]: `${subject}/${encodeToken(id)}`,
    [AT_HEADER]: String(publishedAt),
    [KEY_HEADER]: key === undefined ? undefined : encodeToken(key),
  });

interface Queueing {
  readonly partition: number;
  readonly suspect: boolean;
  /** Reads the message again from the stream; undefined: it stays in memory. */
  readonly readAgain: (() => Promise<string>) | undefined;
}

/** A message of a foreign publisher may lack our headers, or have invalid ones: its id is its sequence number then. */
export const queuedMessage = (message: Msg, { seq, storedAt }: AckAddress, queueing: Queueing): QueuedMessage => {
  const header = message.headers;
  const encodedId = header?.get(ID_HEADER) ?? "";
  const givenId = decodeToken(encodedId.slice(encodedId.lastIndexOf("/") + 1));
  const id = encodedId === "" || givenId.length > MAX_ID_LENGTH ? `seq-${seq}` : givenId;
  const encodedKey = header?.get(KEY_HEADER) ?? "";
  const { data } = message;
  return {
    seq,
    partition: queueing.partition,
    id,
    key: encodedKey === "" ? id : decodeToken(encodedKey),
    publishedAt: Number(header?.get(AT_HEADER)) || storedAt,
    suspect: queueing.suspect,
    read: queueing.readAgain ?? (() => Buffer.from(data.buffer, data.byteOffset, data.length).toString()),
  };
};

const ID_HEADER = "Nats-Msg-Id";
const KEY_HEADER = "Mooring-Key";
const AT_HEADER = "Mooring-At";

export interface AckAddress {
  /** Sequence number in the stream. */
  readonly seq: number;
  /** Sequence number of the consumer's delivery; starts at 1, without gaps. */
  readonly consumerSeq: number;
  /** Wall clock of the server, milliseconds. */
  readonly storedAt: number;
  /** Number of messages that the consumer has not delivered yet. */
  readonly pending: number;
}

/**
 * Parses the metadata of a message from its reply subject:
 * `$JS.ACK[.<domain>.<account>].<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<nanoseconds>.<pending>[.<token>]`
 */
export const ackAddress = (reply: string): AckAddress | undefined => {
  const tokens = reply.split(".");
  if (tokens[0] !== "$JS" || tokens[1] !== "ACK") return undefined;
  const first = tokens.length === 9 ? 2 : 4;
  return {
    seq: Number(tokens[first + 3]),
    consumerSeq: Number(tokens[first + 4]),
    storedAt: Math.floor(Number(tokens[first + 5]) / 1_000_000),
    pending: Number(tokens[first + 6]),
  };
};
