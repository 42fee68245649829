import type { Tool } from "../contract/tool.ts";
import type { AgentModel } from "../model/index.ts";
import type { DelegationConfig, PeeringConfig } from "./limits/index.ts";

/** A configured persona, ready to run. */
export interface Agent {
  readonly name: string;
  readonly tenant: string;
  readonly model: AgentModel;
  /** The system prompt of every turn. */
  readonly directives?: string | undefined;
  /** The maximum of tool rounds in one turn; then the model must answer. */
  readonly maxToolRounds: number;
  /** The context size of the model. */
  readonly contextTokens: number;
  /** Concurrent turns of one person in a process; further messages wait. */
  readonly maxTurnsPerPerson: number;
  readonly tools: readonly Tool[];
  readonly delegation: DelegationConfig;
  readonly peering: PeeringConfig;
}
