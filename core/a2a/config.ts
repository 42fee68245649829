import { z } from "zod";
import { TenantBudgetsConfig } from "../budgets/config.ts";
import { Name } from "../contract/ports/token.ts";
import { atMostOneCredential, credential, endpointFields, exactlyOneCredential } from "../contract/remote-endpoint.ts";
import { Home } from "../delivery/index.ts";
import { parseNetwork } from "../lib/index.ts";

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
  uploads: z
    .int()
    .min(1)
    .default(128)
    .describe("Files that one gateway receives at once on all channels of the tenant."),
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
    .describe("Posts the answers under this skill to people as well, collected into one message: see `deliverTo`."),
  deliverTo: Home.optional().describe(
    "The place for notices to people about work under this skill: a room, or a person by name. Default: the caller's deliverTo, else the agent's home.",
  ),
});
export type SkillConfig = z.infer<typeof SkillConfig>;

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
    deliverTo: Home.optional().describe(
      "The place for notices to people about work for this caller: a room, or a person by name. A skill's deliverTo comes first. Default: the agent's home.",
    ),
    requestsPerMinute: z
      .int()
      .min(1)
      .default(1_200)
      .describe("Requests that it may send per minute, over all gateways."),
  })
  .refine(exactlyOneCredential, "needs a token or an apiKey, and not both");

/** One day less than the retention of calls, so that a call still exists at its deadline. */
const MAX_WAIT_MS = 6 * 24 * 3_600_000;

/** A remote agent that ours may call. */
const PeerConfig = z
  .strictObject({
    ...endpointFields,
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
  .refine(atMostOneCredential, "takes a token or an apiKey, not both");
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
  previousWebhookKey: credential(32)
    .optional()
    .describe(
      "The webhookKey before a rotation: opens secrets and accepts notifications of that time. Remove it after a week.",
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
  /** Path of its settings, for operators; by default that of a peer. */
  readonly setting?: string;
}
