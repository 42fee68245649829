import { z } from "zod";
import { TenantBudgetsConfig } from "../budgets/config.ts";
import { Name } from "../contract/ports/token.ts";
import { type Secret, secret } from "../contract/secret.ts";
import { parseNetwork } from "./private-networks.ts";

export const TenantConfig = z.strictObject({
  a2aAsync: z.boolean().default(false).describe("Lets agents of this tenant message each other without waiting."),
  budgets: TenantBudgetsConfig.prefault({}).describe(
    "Limits of what all agents of the tenant may use together, by scope: as the budgets of an agent, with tenant in place of agent.",
  ),
  storedBytes: z
    .int()
    .min(100_000)
    .default(4_000_000_000)
    .describe(
      "Bytes of messages and files that visitors of all its web channels may store per hour, over all gateways.",
    ),
});
export type TenantConfig = z.infer<typeof TenantConfig>;

const Text = z.string().trim().min(1);

/** A skill that the agent's card offers to other agents. */
export const SkillConfig = z.strictObject({
  id: Name.describe("Id of the skill in calls."),
  name: Text.max(100).describe("Name of the skill on the agent card."),
  description: Text.max(1_000).describe("Description on the agent card."),
  tags: z.array(Text.max(40)).max(20).default([]).describe("Tags on the agent card."),
  examples: z.array(Text.max(500)).max(20).default([]).describe("Example requests on the agent card."),
  tellPeople: z
    .boolean()
    .default(false)
    .describe("Posts the answers under this skill to the agent's home as well, collected into one message."),
});
export type SkillConfig = z.infer<typeof SkillConfig>;

const headerSafe = (value: Secret): boolean => /^[\x21-\x7e]+$/.test(value.reveal());
const credential = (minLength: number) =>
  secret({ minLength }).refine(
    headerSafe,
    "must be printable ASCII characters without a space, because it is sent in a header",
  );

interface Credentials {
  readonly token?: Secret | undefined;
  readonly apiKey?: Secret | undefined;
}

const exactlyOne = ({ token, apiKey }: Credentials): boolean => (token === undefined) !== (apiKey === undefined);
const atMostOne = ({ token, apiKey }: Credentials): boolean => token === undefined || apiKey === undefined;

/** Output of `sha256sum` for an empty variable, which would admit every caller. */
const EMPTY_DIGEST = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const callerSecret = () =>
  credential(16).refine(
    (value) => value.reveal().toLowerCase() !== EMPTY_DIGEST,
    "is the digest of an empty text: the variable that it was computed from was empty",
  );

const CALLER_SECRET = 'The secret itself, or "sha256:" and the 64 hex digits of its digest.';

/** A remote agent that may call ours. */
const CallerConfig = z
  .strictObject({
    token: callerSecret().optional().describe(`It sends Authorization: Bearer <token>. ${CALLER_SECRET}`),
    apiKey: callerSecret().optional().describe(`It sends X-API-Key: <key>. ${CALLER_SECRET}`),
    tenant: Name.default("default").describe(
      "Tenant whose agents it may call; those of other tenants do not exist for it.",
    ),
    agents: z.array(Name).min(1).optional().describe("Agents that it may call; all of its tenant by default."),
    skills: z.array(Name).min(1).optional().describe("Skills that it may use; all by default."),
    requestsPerMinute: z.int().min(1).default(1_200).describe("Requests that it may send to one gateway per minute."),
  })
  .refine(exactlyOne, "needs a token or an apiKey, and not both");

/** One day less than the retention of calls, so that a call still exists at its deadline. */
const MAX_WAIT_MS = 6 * 24 * 3_600_000;

/** A remote agent that ours may call. */
const PeerConfig = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: "must be an http or https address" })
      .describe("Address below which its agent card is found."),
    token: credential(1).optional().describe("We send Authorization: Bearer <token>."),
    apiKey: credential(1).optional().describe("We send it in the header that the peer's card names."),
    tenant: Name.default("default").describe("Tenant whose agents may call it."),
    trusted: z
      .boolean()
      .default(false)
      .describe(
        "Also sends it where the work began (channel, summary of the prompt, time), the id of the work and the trace. " +
          "Otherwise it gets only the text that the agent writes to it.",
      ),
    consultMs: z
      .int()
      .min(1_000)
      .max(600_000)
      .default(60_000)
      .describe("How long a turn waits for an answer, in milliseconds."),
    deadlineMs: z
      .int()
      .min(1_000)
      .max(MAX_WAIT_MS)
      .default(86_400_000)
      .describe("A call without an answer fails after this time, in milliseconds."),
    unreachableMs: z
      .int()
      .min(1_000)
      .max(MAX_WAIT_MS)
      .default(600_000)
      .describe("How long an unreachable peer is retried before the call fails, in milliseconds."),
  })
  .refine(atMostOne, "takes a token or an apiKey, not both");
type PeerConfig = z.infer<typeof PeerConfig>;

const Network = z
  .string()
  .refine((text) => parseNetwork(text) !== undefined, "must be an address, or a network such as 10.1.0.0/16");

export const A2aConfig = z.strictObject({
  callers: z
    .record(Name, CallerConfig)
    .default({})
    .describe("Remote agents that may call ours, by name. By default none."),
  peers: z.record(Name, PeerConfig).default({}).describe("Remote agents that ours may call, by name."),
  pushAllow: z
    .array(Network)
    .default([])
    .describe(
      "Private networks that callers' webhooks may be in, such as 10.1.0.0/16. By default only public addresses.",
    ),
  webhookKey: credential(32)
    .optional()
    .describe(
      "Key that encrypts webhook secrets in the store. By default it is created once and kept in the store too.",
    ),
  idleMs: z
    .int()
    .min(0)
    .default(120_000)
    .describe("How long a conversation must be idle before collected notices are posted there, in milliseconds."),
});
export type A2aConfig = z.infer<typeof A2aConfig>;

type Optional = Partial<Pick<PeerConfig, "consultMs" | "deadlineMs" | "unreachableMs" | "trusted">>;

/** A configured remote agent with its name. Without its own timeouts, those of a local peer apply. */
export interface RemotePeer extends Omit<PeerConfig, keyof Optional>, Optional {
  readonly name: string;
}
