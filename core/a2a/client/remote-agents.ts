import { AppError } from "../../contract/app-error.ts";
import type { Clock } from "../../contract/clock.ts";
import { ChildAbort } from "../../lib/index.ts";
import { agentAddress } from "../agent-address.ts";
import type { DeploymentIdentity } from "../deployment-identity.ts";
import type { PeerCall } from "../peer-call.ts";
import { pushTokenOf } from "../push-token.ts";
import type { PeerClient, Webhook } from "./peer-client.ts";
import type { RemotePeer } from "./remote-peer.ts";

/** A card is read anew after this long. */
const CARD_KEPT_MS = 10 * 60_000;
/** Reading a card that hangs is retried after this time, not when the connection times out. */
const CARD_MS = 30_000;

export interface RemoteAgentsOptions {
  readonly peers: readonly RemotePeer[];
  readonly clock: Clock;
  /** How others reach this deployment, for their push notifications; without it they are asked now and then. */
  readonly publicUrl?: string | undefined;
  readonly identity: DeploymentIdentity;
}

interface Connection {
  readonly client: Promise<PeerClient>;
  readonly since: number;
}

/** The agents elsewhere, and how we are called there. */
export class RemoteAgents {
  readonly peers: readonly RemotePeer[];
  readonly #clock: Clock;
  readonly #publicUrl: string | undefined;
  readonly #identity: DeploymentIdentity;
  readonly #connections = new Map<string, Connection>();
  readonly #said = new Map<string, string>();
  readonly #askedAt = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor({ peers, clock, publicUrl, identity }: RemoteAgentsOptions) {
    this.peers = peers;
    this.#clock = clock;
    this.#publicUrl = publicUrl;
    this.#identity = identity;
  }

  /** Of one of our agents, as hops are counted by it. */
  ownAddress(agent: string): string {
    return agentAddress(this.#identity, this.#publicUrl, agent);
  }

  /** What its card says about it, once that was read; who wants to know it has it read. */
  describe(peer: RemotePeer): string | undefined {
    const said = this.#said.get(peer.name);
    const now = this.#clock.monotonic();
    if (said === undefined && now - (this.#askedAt.get(peer.name) ?? -CARD_KEPT_MS) >= CARD_KEPT_MS) {
      this.#askedAt.set(peer.name, now);
      // What is wrong with it is said to whoever calls it.
      this.clientOf(peer).catch(() => undefined);
    }
    return said;
  }

  find(tenant: string, name: string): RemotePeer | undefined {
    return this.peers.find((peer) => peer.tenant === tenant && peer.name === name);
  }

  /** Where a remote agent is to tell us that it has got on with a call. */
  webhookFor(call: PeerCall): Webhook | undefined {
    if (this.#publicUrl === undefined) return undefined;
    const { tenant, agent, id } = call;
    return { url: `${this.#publicUrl}/a2a-events/${tenant}/${agent}/${id}`, token: pushTokenOf(this.#identity, call) };
  }

  async clientOf(peer: RemotePeer): Promise<PeerClient> {
    const known = this.#connections.get(peer.name);
    if (known !== undefined && this.#clock.monotonic() - known.since < CARD_KEPT_MS) return known.client;
    const client = this.#connect(peer);
    this.#connections.set(peer.name, { client, since: this.#clock.monotonic() });
    try {
      const connected = await client;
      this.#said.set(peer.name, connected.card.description);
      void known?.client.then((old) => old.close()).catch(() => undefined);
      return connected;
    } catch (error) {
      if (this.#connections.get(peer.name)?.client === client) this.#connections.delete(peer.name);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new AppError("stopped", "this process is stopping"));
    const clients = await Promise.allSettled([...this.#connections.values()].map(({ client }) => client));
    await Promise.all(clients.map((result) => (result.status === "fulfilled" ? result.value.close() : undefined)));
  }

  /** The SDK is loaded with the first call. */
  async #connect(peer: RemotePeer): Promise<PeerClient> {
    const { PeerClient: Connecting } = await import("./peer-client.ts");
    const over = new ChildAbort(this.#closing.signal);
    const timer = this.#clock.after(CARD_MS, () =>
      over.abort(new AppError("unavailable", `${peer.name} took too long to send its card`)),
    );
    try {
      return await Connecting.connect(peer, over.signal);
    } finally {
      timer.cancel();
      over.release();
    }
  }
}
