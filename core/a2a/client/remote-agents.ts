import { A2AError } from "@a2a-js/sdk/errors";
import { AppError } from "../../contract/app-error.ts";
import type { PeerCallAddress } from "../../contract/messages/addresses.ts";
import type { Clock } from "../../contract/ports/clock.ts";
import { ChildAbort } from "../../lib/index.ts";
import { appErrorIn } from "../../net/index.ts";
import type { RemotePeer } from "../config.ts";
import { agentAddress, type DeploymentIdentity, pseudonymOf, pushTokenOf } from "../identity.ts";
import type { PeerClient, Webhook } from "./peer-client.ts";
import { failureDetail } from "./peer-fetch.ts";

/** TTL of a card and its connection. */
const CARD_TTL_MS = 10 * 60_000;
/** Timeout for reading a card, shorter than that of the connection. */
const CARD_TIMEOUT_MS = 30_000;

interface RemoteAgentsOptions {
  readonly peers: readonly RemotePeer[];
  readonly clock: Clock;
  /** Public URL for push notifications; without it remote tasks are only polled. */
  readonly publicUrl?: string | undefined;
  readonly identity: DeploymentIdentity;
}

interface Connection {
  readonly client: Promise<PeerClient>;
  readonly since: number;
}

/** The configured remote agents, with their connections and our addresses for them. */
export class RemoteAgents {
  readonly peers: readonly RemotePeer[];
  readonly #clock: Clock;
  readonly #publicUrl: string | undefined;
  readonly #identity: DeploymentIdentity;
  readonly #connections = new Map<string, Connection>();
  readonly #descriptions = new Map<string, string>();
  readonly #requestedAt = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor({ peers, clock, publicUrl, identity }: RemoteAgentsOptions) {
    this.peers = peers;
    this.#clock = clock;
    this.#publicUrl = publicUrl;
    this.#identity = identity;
  }

  /** Address of one of our agents in hop counts. */
  ownAddress(agent: string): string {
    return agentAddress(this.#identity, this.#publicUrl, agent);
  }

  /** The description in the peer's card; undefined until the card is read, which this call starts. */
  describe(peer: RemotePeer): string | undefined {
    const description = this.#descriptions.get(peer.name);
    const now = this.#clock.monotonic();
    if (description === undefined && now - (this.#requestedAt.get(peer.name) ?? -CARD_TTL_MS) >= CARD_TTL_MS) {
      this.#requestedAt.set(peer.name, now);
      // A call to the peer reports the same failure.
      this.clientOf(peer).catch(() => undefined);
    }
    return description;
  }

  find(tenant: string, name: string): RemotePeer | undefined {
    return this.peers.find((peer) => peer.tenant === tenant && peer.name === name);
  }

  /** Stands for an internal id towards a peer that is not trusted; two peers cannot match their pseudonyms (R7). */
  pseudonymOf(peer: string, id: string): string {
    return pseudonymOf(this.#identity, peer, id);
  }

  /** The webhook for a remote agent's push notifications about a call. */
  webhookFor(call: PeerCallAddress): Webhook | undefined {
    if (this.#publicUrl === undefined) return undefined;
    const { tenant, agent, id } = call;
    return { url: `${this.#publicUrl}/a2a-events/${tenant}/${agent}/${id}`, token: pushTokenOf(this.#identity, call) };
  }

  async clientOf(peer: RemotePeer): Promise<PeerClient> {
    const known = this.#connections.get(peer.name);
    if (known !== undefined && this.#clock.monotonic() - known.since < CARD_TTL_MS) return known.client;
    const client = this.#connect(peer);
    this.#connections.set(peer.name, { client, since: this.#clock.monotonic() });
    try {
      const connected = await client;
      this.#descriptions.set(peer.name, connected.card.description);
      void known?.client.then((old) => old.close()).catch(() => undefined);
      return connected;
    } catch (error) {
      if (this.#connections.get(peer.name)?.client === client) this.#connections.delete(peer.name);
      throw error;
    }
  }

  /** The next request reads the card again: the agent may have moved. Other requests keep their connections. */
  forget({ name }: RemotePeer): void {
    this.#connections.delete(name);
  }

  async close(): Promise<void> {
    this.#closing.abort(new AppError("stopped", "this process is stopping"));
    const clients = await Promise.allSettled([...this.#connections.values()].map(({ client }) => client));
    await Promise.all(clients.map((result) => (result.status === "fulfilled" ? result.value.close() : undefined)));
  }

  /** Loads the SDK on the first connection. */
  async #connect(peer: RemotePeer): Promise<PeerClient> {
    const { PeerClient: Connecting } = await import("./peer-client.ts");
    const over = new ChildAbort(this.#closing.signal);
    const timer = this.#clock.after(CARD_TIMEOUT_MS, () =>
      over.abort(new AppError("unavailable", `${peer.name} did not send its card in time`)),
    );
    try {
      return await Connecting.connect(peer, over.signal);
    } finally {
      timer.cancel();
      over.release();
    }
  }
}

/** A task id that no agent has. */
const NO_TASK = "mooring-check";

/**
 * Checks that a remote agent is reachable and accepts our credentials: reads its card and asks for an unknown task. Loads
 * the SDK on the first call.
 */
export const probePeer = async (peer: RemotePeer, signal: AbortSignal): Promise<void> => {
  let client: PeerClient | undefined;
  try {
    const { PeerClient: Connecting } = await import("./peer-client.ts");
    client = await Connecting.connect(peer, signal);
    await client.get(NO_TASK, signal);
  } catch (error) {
    const refusal = appErrorIn(error);
    if (refusal !== undefined) throw refusal;
    const why = failureDetail(error);
    if (client === undefined) throw new AppError("unavailable", `could not read an agent card at ${peer.url}: ${why}`);
    // "Task not found" proves that the agent accepted our credentials.
    if (!(error instanceof A2AError)) throw new AppError("unavailable", why, { cause: error });
  } finally {
    await client?.close();
  }
};
