import { AppError } from "../contract/app-error.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import { suggest } from "../contract/suggest.ts";
import type { RemotePeer } from "./config.ts";

/** An agent of this deployment as its peers see it. */
interface KnownAgent {
  readonly name: string;
  readonly tenant: string;
  /** Agents that it may message, provided that they list it too. */
  readonly peers?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

interface LocalPeer {
  readonly kind: "local";
  readonly name: string;
  readonly description?: string | undefined;
}

export type Peer = LocalPeer | (RemotePeer & { readonly kind: "remote" });

/** Decides which agents may message each other: those of one tenant that list each other as peers (A3). */
export class PeerDirectory {
  readonly #agents: readonly KnownAgent[];
  readonly #remote: readonly RemotePeer[];

  constructor(agents: readonly KnownAgent[], remote: readonly RemotePeer[] = []) {
    this.#agents = agents;
    this.#remote = remote;
  }

  peersOf({ tenant, agent }: AgentRef): Peer[] {
    const own = this.#agent(tenant, agent);
    return (own?.peers ?? []).flatMap((name) => this.#related({ tenant, agent }, name) ?? []);
  }

  /** Throws an error that tells the model what is wrong with the name. */
  find(self: AgentRef, name: string): Peer {
    const { tenant, agent } = self;
    const known = this.peersOf(self).map((peer) => peer.name);
    const list = `Your peers are: ${known.join(", ") || "(none)"}.`;
    if (name.trim() === "") throw new AppError("bad-input", `Say which agent the message is for. ${list}`);
    if (name === agent) throw new AppError("forbidden", `You are "${name}" yourself. ${list}`);
    const related = known.includes(name) ? this.#related(self, name) : undefined;
    if (related !== undefined) return related;
    if (this.#agent(tenant, name) !== undefined || this.#remotePeer(tenant, name) !== undefined) {
      throw new AppError(
        "forbidden",
        `"${agent}" and "${name}" are not peers: each must list the other under peers. ${list}`,
      );
    }
    const meant = suggest(name, known);
    const hint = meant === undefined ? list : `Did you mean "${meant}"? ${list}`;
    throw new AppError("not-found", `There is no agent "${name.slice(0, 60)}". ${hint}`);
  }

  #related({ tenant, agent }: AgentRef, name: string): Peer | undefined {
    const local = this.#agent(tenant, name);
    if (local !== undefined) {
      if (name === agent || !local.peers?.includes(agent)) return undefined;
      return { kind: "local", name, description: local.description };
    }
    const remote = this.#remotePeer(tenant, name);
    return remote && { kind: "remote", ...remote };
  }

  #agent(tenant: string, name: string): KnownAgent | undefined {
    return this.#agents.find((each) => each.tenant === tenant && each.name === name);
  }

  #remotePeer(tenant: string, name: string): RemotePeer | undefined {
    return this.#remote.find((each) => each.tenant === tenant && each.name === name);
  }
}
