import type { AgentRef } from "../contract/messages/addresses.ts";
import type { Destination } from "../delivery/index.ts";
import type { BlockedAccounts } from "../rights/index.ts";
import type { SubtaskDeps } from "../subtasks/index.ts";
import type { Agent } from "../turns/index.ts";
import { type ApprovalsConfig, defaultApprovals } from "./config.ts";

/** An agent of this process, with the settings of its requests. */
export interface AskingAgent {
  readonly agent: Agent;
  readonly home: Destination | undefined;
  readonly hasChannel: (channel: string) => boolean;
  readonly expireMs: number;
}

export interface AskingOptions {
  readonly approvals?: ApprovalsConfig | undefined;
  /** Asked if the work has no conversation of its own. */
  readonly home?: Destination | undefined;
  readonly hasChannel?: ((channel: string) => boolean) | undefined;
}

/** The agents of this process by name. A press may reach another agent than the one whose call waits. */
export class AskingAgents {
  readonly #agents = new Map<string, AskingAgent>();

  add(agent: Agent, { approvals = defaultApprovals, home, hasChannel = () => true }: AskingOptions): void {
    this.#agents.set(nameOf({ tenant: agent.tenant, agent: agent.name }), {
      agent,
      home,
      hasChannel,
      expireMs: approvals.expireMs,
    });
  }

  of(ref: AgentRef): AskingAgent | undefined {
    return this.#agents.get(nameOf(ref));
  }
}

const nameOf = ({ tenant, agent }: AgentRef): string => JSON.stringify([tenant, agent]);

export interface ApprovalDeps extends SubtaskDeps {
  readonly asking: AskingAgents;
  readonly blocked: BlockedAccounts;
  /** Aborted when this process stops and must abandon calls that run. */
  readonly stopping: AbortSignal;
}
