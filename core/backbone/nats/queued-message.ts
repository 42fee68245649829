import type { Msg, MsgHdrs } from "nats";
import { MAX_ID_LENGTH } from "../../contract/bus.ts";
import { decodeToken, encodeToken } from "../../contract/token.ts";
import type { QueuedMessage } from "../queued-message.ts";
import type { AckAddress } from "./ack-address.ts";
import { messageHeaders } from "./message-headers.ts";

export interface Envelope {
  /** The subject without its partition: ids are recognised per subject, while the server looks at a whole stream. */
  readonly subject: string;
  readonly id: string;
  readonly key: string | undefined;
  readonly publishedAt: number;
}

/** Encoded, so that any character survives. */
export const envelopeHeaders = ({ subject, id, key, publishedAt }: Envelope): MsgHdrs =>
  messageHeaders({
    [ID_HEADER]: `${subject}/${encodeToken(id)}`,
    [AT_HEADER]: String(publishedAt),
    [KEY_HEADER]: key === undefined ? undefined : encodeToken(key),
  });

export interface Queueing {
  readonly partition: number;
  readonly suspect: boolean;
  /** Given if the message is not to be kept in memory. */
  readonly readAgain: (() => Promise<string>) | undefined;
}

/** A message that somebody else put into the stream lacks our headers, or has odd ones: it gets an id by its place. */
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
