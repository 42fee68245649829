import { z } from "zod";
import { DeliveryConfig } from "../contract/delivery-policy.ts";
import { Name } from "../contract/name.ts";
import { ModelConfig } from "../model/config.ts";
import { DelegationConfig } from "../subtasks/config.ts";

/** Where results go that have no person to go to. */
const Home = z.union([
  z.strictObject({ person: z.string().min(1) }),
  z.strictObject({
    channel: Name,
    workspace: z.string().min(1).optional(),
    room: z.string().min(1),
    thread: z.string().min(1).optional(),
  }),
]);

export const AgentConfig = z.strictObject({
  name: Name,
  tenant: Name.default("default"),
  model: ModelConfig,
  directives: z.string().optional().describe("What the agent is told about itself and its task, in every turn."),
  maxToolRounds: z
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe("Rounds of tool calls in one turn, before it must answer."),
  delegation: DelegationConfig.prefault({}),
  delivery: DeliveryConfig.optional().describe("How unsolicited answers reach people who do not say it themselves."),
  home: Home.optional().describe("A room, or a person by name: where results go that have nobody to go to."),
});
export type AgentConfig = z.infer<typeof AgentConfig>;
