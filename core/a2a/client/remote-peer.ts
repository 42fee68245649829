import type { Secret } from "../../contract/secret.ts";

/** An agent elsewhere that is reached through the protocol. */
export interface RemotePeer {
  readonly name: string;
  readonly tenant: string;
  /** Where its card is, or the folder of `/.well-known/agent-card.json`. */
  readonly url: string;
  readonly token?: Secret | undefined;
  readonly apiKey?: Secret | undefined;
  /** How long a question to it is waited for; without it: as long as to a local one. */
  readonly consultMs?: number | undefined;
  /** How long it may take; without it: as long as a local one. */
  readonly deadlineMs?: number | undefined;
}
