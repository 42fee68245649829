import type { MsgHdrs } from "nats";
import { NatsError } from "nats";
import type { NatsSession } from "./nats-session.ts";

interface Stored {
  /** Of a message that the server recognises as a repeat: that of the first. */
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
  if (seq === undefined) throw new NatsError("the answer is no publish acknowledgement", "JESTREAM_INVALID_ACK");
  return { seq, duplicate };
};
