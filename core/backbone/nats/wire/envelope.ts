import type { Msg, MsgHdrs } from "nats";
import { MAX_ID_LENGTH } from "../../../contract/ports/bus.ts";
import { decodeToken, encodeToken } from "../../../contract/ports/token.ts";
import type { QueuedMessage } from "../../queued-message.ts";
import type { AckAddress } from "./ack-address.ts";
import { messageHeaders } from "./message-headers.ts";

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

export interface Queueing {
  readonly partition: number;
  readonly suspect: boolean;
  /** Reads the message again from the stream; undefined: it stays in memory. */
  readonly readAgain: (() => Promise<string>) | undefined;
}

/** A message of a foreign publisher may lack our headers, or have invalid ones: its id is its sequence number then. */
export const queuedMessage = (message: Msg, { seq, storedAt }: AckAddress, queueing: Queueing): QueuedMessage => {
  const header = message.headers;
  const spelledId = header?.get(ID_HEADER) ?? "";
  const givenId = decodeToken(spelledId.slice(spelledId.lastIndexOf("/") + 1));
  const id = spelledId === "" || givenId.length > MAX_ID_LENGTH ? `seq-${seq}` : givenId;
  const spelledKey = header?.get(KEY_HEADER) ?? "";
  const { data } = message;
  return {
    seq,
    partition: queueing.partition,
    id,
    key: spelledKey === "" ? id : decodeToken(spelledKey),
    publishedAt: Number(header?.get(AT_HEADER)) || storedAt,
    suspect: queueing.suspect,
    read: queueing.readAgain ?? (() => Buffer.from(data.buffer, data.byteOffset, data.length).toString()),
  };
};

const ID_HEADER = "Nats-Msg-Id";
const KEY_HEADER = "Mooring-Key";
const AT_HEADER = "Mooring-At";
