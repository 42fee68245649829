import { AppError } from "../contract/app-error.ts";
import { suggest } from "../contract/suggest.ts";
import type { RemotePeer } from "./client/remote-peer.ts";

/** An agent of this deployment, as others know it. */
export interface KnownAgent {
  readonly name: string;
  readonly tenant: string;
  /** Whom it may talk to. It holds only if they name it too. */
  readonly peers?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

export interface LocalPeer {
  readonly kind: "local";
  readonly name: string;
  readonly description?: string | undefined;
}

export type Peer = LocalPeer | (RemotePeer & { readonly kind: "remote" });

interface Place {
  readonly tenant: string;
  readonly agent: string;
}

/** Who may talk to whom: within a tenant, and along what both sides declare (A3). */
export class PeerDirectory {
  readonly #agents: readonly KnownAgent[];
  readonly #remote: readonly RemotePeer[];

  constructor(agents: readonly KnownAgent[], remote: readonly RemotePeer[] = []) {
    this.#agents = agents;
    this.#remote = remote;
  }

  peersOf({ tenant, agent }: Place): Peer[] {
    const own = this.#agent(tenant, agent);
    return (own?.peers ?? []).flatMap((name) => this.#related({ tenant, agent }, name) ?? []);
  }

  /** Throws an error that names what is wrong. */
  find(place: Place, name: string): Peer {
    const { tenant, agent } = place;
    const known = this.peersOf(place).map((peer) => peer.name);
    const list = `Your peers are: ${known.join(", ") || "(none)"}.`;
    if (name.trim() === "") throw new AppError("bad-input", `Say which agent the message is for. ${list}`);
    if (name === agent) throw new AppError("forbidden", `You are "${name}" yourself. ${list}`);
    const related = known.includes(name) ? this.#related(place, name) : undefined;
    if (related !== undefined) return related;
    if (this.#agent(tenant, name) !== undefined || this.#remotePeer(tenant, name) !== undefined) {
      throw new AppError(
        "forbidden",
        `"${agent}" and "${name}" have no relationship: both must name each other among their peers. ${list}`,
      );
    }
    const meant = suggest(name, known);
    const hint = meant === undefined ? list : `Did you mean "${meant}"? ${list}`;
    throw new AppError("not-found", `There is no agent "${name.slice(0, 60)}". ${hint}`);
  }

  #related({ tenant, agent }: Place, name: string): Peer | undefined {
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
