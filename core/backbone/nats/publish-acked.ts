import type { MsgHdrs } from "nats";
import { NatsError } from "nats";
import type { NatsSession } from "./nats-session.ts";

interface PubAck {
  readonly seq?: number;
  readonly error?: { code: number; err_code: number; description: string };
}

/** Resolves to the stored message's sequence; for a message that the server recognises as a repeat, to that of the first. */
export const publishAcked = async (
  { requests }: NatsSession,
  subject: string,
  data: Uint8Array,
  headers: MsgHdrs,
): Promise<number> => {
  const answer = await requests.request(subject, data, headers);
  const { seq, error } = JSON.parse(answer.string()) as PubAck;
  if (error) {
    const refused = new NatsError(error.description, String(error.code));
    refused.api_error = error;
    throw refused;
  }
  if (seq === undefined) throw new NatsError("the answer is no publish acknowledgement", "JESTREAM_INVALID_ACK");
  return seq;
};
