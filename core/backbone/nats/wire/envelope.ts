import type { Msg, MsgHdrs } from "nats";
import { MAX_ID_LENGTH } from "../../../contract/ports/bus.ts";
import { decodeToken, encodeToken } from "../../../contract/ports/token.ts";
import type { QueuedMessage } from "../../key-lanes.ts";
import { formatOf, messageHeaders } from "./jetstream-requests.ts";

export interface Envelope {
  /** The subject without its partition. It prefixes the id, because the server detects duplicates per stream. */
  readonly subject: string;
  readonly id: string;
  readonly key: string | undefined;
  readonly publishedAt: number;
}

/** Id and key are encoded, so that they may contain any character. */
export const envelopeHeaders = ({ subject, id, key, publishedAt }: Envelope): MsgHdrs =>
  messageHeaders(
    [ID_HEADER, `${subject}/${encodeToken(id)}`],
    [AT_HEADER, String(publishedAt)],
    [KEY_HEADER, key === undefined ? undefined : encodeToken(key)],
  );

interface Queueing {
  readonly partition: number;
  readonly suspect: boolean;
  /** Reads the message again from the stream; undefined: it stays in memory. */
  readonly readAgain: (() => Promise<string>) | undefined;
}

/** A message of a foreign publisher may lack our headers, or have invalid ones: its id is its sequence number then. */
export const envelopeOf = (headers: MsgHdrs | undefined, seq: number): { id: string; key: string | undefined } => {
  const encodedId = headers?.get(ID_HEADER) ?? "";
  const givenId = decodeToken(encodedId.slice(encodedId.lastIndexOf("/") + 1));
  const encodedKey = headers?.get(KEY_HEADER) ?? "";
  return {
    id: encodedId === "" || givenId.length > MAX_ID_LENGTH ? `seq-${seq}` : givenId,
    key: encodedKey === "" ? undefined : decodeToken(encodedKey),
  };
};

export const publishedAtOf = (headers: MsgHdrs | undefined, storedAt: number): number =>
  Number(headers?.get(AT_HEADER)) || storedAt;

export const queuedMessage = (message: Msg, { seq, storedAt }: AckAddress, queueing: Queueing): QueuedMessage => {
  const { headers, data } = message;
  const { id, key = id } = envelopeOf(headers, seq);
  return {
    seq,
    partition: queueing.partition,
    id,
    key,
    publishedAt: publishedAtOf(headers, storedAt),
    suspect: queueing.suspect,
    format: formatOf(headers),
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

/** When the server stored a message, in nanoseconds: more exact than `storedAt`, for comparing streams. */
export const storedNanos = (reply: string): number => {
  const tokens = reply.split(".");
  return Number(tokens[(tokens.length === 9 ? 2 : 4) + 5]);
};
