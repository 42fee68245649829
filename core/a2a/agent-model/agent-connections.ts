import type { AgentRef } from "../../contract/messages/addresses.ts";
import type { AgentEndpoint } from "../../contract/remote-endpoint.ts";
import type { AgentModel, ModelDeps, StepOptions, StepRequest, StepResponse } from "../../model/index.ts";
import { probePeer, RemoteAgents } from "../client/remote-agents.ts";
import type { RemotePeer } from "../config.ts";
import { type DeploymentIdentity, pseudonymOf } from "../identity.ts";
import type { AgentModelDeps } from "./remote-agent-model.ts";

interface ConnectionsDeps extends Omit<AgentModelDeps, "remoteAgents"> {
  readonly identity: DeploymentIdentity;
  readonly publicUrl?: string | undefined;
}

interface Connection {
  readonly label: string;
  readonly peer: RemotePeer;
  readonly remoteAgents: RemoteAgents;
  readonly deadlineMs: number;
}

/** The agents elsewhere that answer for ours, by the names of ours. */
export class AgentConnections {
  readonly #deps: ConnectionsDeps;
  readonly #connections = new Map<string, Connection>();

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  of(agent: string): Connection | undefined {
    return this.#connections.get(agent);
  }

  /** The ports of the models of one agent. */
  modelDepsOf(ref: AgentRef): ModelDeps {
    const { clock, logger, identity } = this.#deps;
    return {
      clock,
      logger,
      pseudonymOf: (receiver, id) => pseudonymOf(identity, receiver, id),
      connectAgent: (endpoint, label) => this.#connect(ref, endpoint, label),
    };
  }

  #connect(ref: AgentRef, endpoint: AgentEndpoint, label: string): AgentModel {
    const { identity, publicUrl, ...deps } = this.#deps;
    const peer = peerOf(ref, endpoint);
    const remoteAgents = new RemoteAgents({ peers: [peer], clock: deps.clock, publicUrl, identity });
    const { deadlineMs, waitMs, unreachableMs } = endpoint;
    this.#connections.set(ref.agent, { label, peer, remoteAgents, deadlineMs });
    const settings = { label, peer, deadlineMs, waitMs, unreachableMs };
    return new LazyAgentModel(label, peer, async () => {
      const { RemoteAgentModel } = await import("./remote-agent-model.ts");
      return new RemoteAgentModel({ ...deps, remoteAgents }, settings);
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(({ remoteAgents }) => remoteAgents.close()));
  }
}

/** The agent for a check of the configuration: it answers no turns. */
export const agentToCheck = (ref: AgentRef, endpoint: AgentEndpoint, label: string): AgentModel =>
  new LazyAgentModel(label, peerOf(ref, endpoint), () => Promise.reject(new Error(`${label} is only checked here`)));

const peerOf = ({ tenant, agent }: AgentRef, { url, token, apiKey, trusted }: AgentEndpoint): RemotePeer => ({
  name: `the agent at ${new URL(url).host}`,
  tenant,
  url,
  token,
  apiKey,
  trusted,
  setting: `the model of agents.${agent}`,
});

/** Loads the protocol's SDK with the first turn. */
class LazyAgentModel implements AgentModel {
  readonly label: string;
  readonly isAgent = true;
  readonly #peer: RemotePeer;
  readonly #load: () => Promise<AgentModel>;
  #loaded: Promise<AgentModel> | undefined;

  constructor(label: string, peer: RemotePeer, load: () => Promise<AgentModel>) {
    this.label = label;
    this.#peer = peer;
    this.#load = load;
  }

  async step(request: StepRequest, options: StepOptions): Promise<StepResponse> {
    this.#loaded ??= this.#load();
    return (await this.#loaded).step(request, options);
  }

  probe(signal: AbortSignal): Promise<void> {
    return probePeer(this.#peer, signal);
  }
}
