import { z } from "zod";
import { type Secret, secret } from "./secret.ts";

const headerSafe = (value: Secret): boolean => /^[\x21-\x7e]+$/.test(value.reveal());

/** A secret that is sent in a header. */
export const credential = (minLength: number) =>
  secret({ minLength }).refine(
    headerSafe,
    "must be printable ASCII characters without a space, because it is sent in a header",
  );

interface Credentials {
  readonly token?: Secret | undefined;
  readonly apiKey?: Secret | undefined;
}

export const exactlyOneCredential = ({ token, apiKey }: Credentials): boolean =>
  (token === undefined) !== (apiKey === undefined);
export const atMostOneCredential = ({ token, apiKey }: Credentials): boolean =>
  token === undefined || apiKey === undefined;

/** The address and the credentials of an agent that is reached through the A2A protocol. */
export const endpointFields = {
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .describe("Address below which its agent card is found."),
  token: credential(1).optional().describe("We send Authorization: Bearer <token>."),
  apiKey: credential(1).optional().describe("We send it in the header that the agent's card names."),
};

/** An agent elsewhere that answers for one of ours. */
export interface AgentEndpoint extends Credentials {
  readonly url: string;
  /** It also learns who asks and where. */
  readonly trusted: boolean;
  /** The time for one answer. */
  readonly deadlineMs: number;
  /** How long a turn waits for it; afterwards the answer is delivered later. */
  readonly waitMs: number;
  /** How long it is retried while it cannot be reached. */
  readonly unreachableMs: number;
}
