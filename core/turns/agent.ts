import type { Tool } from "../contract/tool.ts";
import type { AgentModel } from "../model/index.ts";
import type { DelegationConfig } from "./delegation-limits.ts";
import type { PeeringConfig } from "./peering-limits.ts";

/** A configured persona, ready to run. */
export interface Agent {
  readonly name: string;
  readonly tenant: string;
  readonly model: AgentModel;
  /** What it is told about itself and its task, in every turn. */
  readonly directives?: string | undefined;
  /** Rounds of tool calls in one turn, before it must answer. */
  readonly maxToolRounds: number;
  /** How much its model can read at once. */
  readonly contextTokens: number;
  /** Of people; more wait. */
  readonly maxTurnsPerPerson: number;
  readonly tools: readonly Tool[];
  /** How much it may delegate. */
  readonly delegation: DelegationConfig;
  /** How it works with other agents. */
  readonly peering: PeeringConfig;
}
