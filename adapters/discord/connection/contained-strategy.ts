import { SimpleShardingStrategy, WebSocketShardStatus } from "discord.js";
import { AppError } from "../../../core/contract/app-error.ts";
import type { ResumableSession } from "./stored-session.ts";

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/** Private members of the SDK's shard; the SDK offers no public hooks. */
interface Shard {
  readonly status: WebSocketShardStatus;
  readonly failedToConnectDueToNetworkError: boolean;
  readonly connection: { onerror: (() => void) | null; terminate(): void } | null;
  internalConnect(): Promise<void>;
  destroy(options?: { recover?: number }): Promise<void>;
  onMessage(data: unknown, isBinary: boolean): Promise<void>;
  onClose(code: number): Promise<void>;
  heartbeat(requested?: boolean): Promise<void>;
  removeAllListeners(event: string): void;
  on(event: string, listener: (payload: { data: Dispatch }) => void): void;
}

export interface Dispatch {
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

export interface StrategyDeps {
  dispatched(dispatch: Dispatch): void;
  /** Called for an error inside the SDK. fatal: it will not reconnect by itself. */
  broke(error: unknown, fatal: boolean): void;
  /** Delays the next connection attempt. */
  beforeConnect(): Promise<void>;
  /** The session to resume, if any. Called once, after Discord has named its gateway. */
  resumable(): ResumableSession | undefined;
  /** True: retry the resume after Discord was unreachable. */
  mayResumeLater(): boolean;
}

/** The only events that the SDK's client needs to keep the connection. */
const CLIENT_EVENTS = new Set(["READY", "RESUMED"]);

/** The SDK exports a different enumeration under the name of the one with this value. */
const DISPATCH = "dispatch";

/** Not exported by the SDK. */
const Recovery = { identify: 0, resume: 1 } as const;

const CLOSE_WITHIN_MS = 1_000;

/**
 * Works around faults of the SDK's shard: destroying it during a handshake fails and it reconnects afterwards, it
 * reconnects without a delay, it drops a session when the first reconnect fails on the network, and a payload that it
 * cannot read ends the process as an unhandled rejection.
 */
export class ContainedStrategy extends SimpleShardingStrategy {
  readonly #manager: Manager;
  readonly #deps: StrategyDeps;
  #closed = false;

  constructor(manager: Manager, deps: StrategyDeps) {
    super(manager);
    this.#manager = manager;
    this.#deps = deps;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    // An abandoned login arrives here after its response.
    if (this.#closed) throw new AppError("stopped", "the connection was closed meanwhile");
    await super.spawn(shardIds);
    for (const [shardId, shard] of this.#shards) this.#contain(shard, shardId);
    await this.#resumeLater(shardIds);
  }

  /** Closes permanently, in bounded time in every state of the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    const shards = [...this.#shards.values()];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    const closing = super.destroy({ code: KEEP_SESSION, reason: "stopping" }).catch(() => undefined);
    await Promise.race([closing, late]);
    clearTimeout(timer);
    for (const { connection } of shards) {
      if (connection === null) continue;
      // A socket that is still connecting reports its termination as an error.
      connection.onerror = () => undefined;
      connection.terminate();
    }
  }

  get #shards(): Map<number, Shard> {
    return Reflect.get(this, "shards");
  }

  /** The resume sends the token to the session's server, so that server must be in the domain that Discord names. */
  async #resumeLater([shardId = 0]: number[]): Promise<void> {
    const session = this.#deps.resumable();
    const { url } = await this.#manager.fetchGatewayInformation();
    if (session === undefined || domainOf(session.resumeUrl) !== domainOf(url)) return;
    const { sessionId, sequence, resumeUrl: resumeURL } = session;
    const shardCount = await this.#manager.getShardCount();
    await this.#manager.options.updateSessionInfo(shardId, { sessionId, sequence, resumeURL, shardId, shardCount });
  }

  #contain(shard: Shard, shardId: number): void {
    const { dispatched, broke, beforeConnect, mayResumeLater } = this.#deps;
    const contained =
      <A extends unknown[]>(work: (...args: A) => Promise<void>, fatal: boolean) =>
      async (...args: A): Promise<void> => {
        try {
          await work.apply(shard, args);
        } catch (error) {
          if (!this.#closed) broke(error, fatal);
        }
      };
    const connect = contained(shard.internalConnect, true);
    const { destroy } = shard;
    let waiting = false;
    Object.assign(shard, {
      onMessage: contained(shard.onMessage, false),
      onClose: contained(shard.onClose, true),
      heartbeat: contained(shard.heartbeat, false),
      destroy: (options: { recover?: number } = {}) => {
        const isUnreached = options.recover === Recovery.identify && shard.failedToConnectDueToNetworkError;
        const recover = isUnreached && mayResumeLater() ? { recover: Recovery.resume } : {};
        return destroy.call(shard, { ...options, ...recover });
      },
      internalConnect: async () => {
        // Joins concurrent reconnects.
        if (waiting || shard.status !== WebSocketShardStatus.Idle) return;
        waiting = true;
        await beforeConnect();
        waiting = false;
        if (!this.#closed) await connect();
      },
    });
    shard.removeAllListeners(DISPATCH);
    shard.on(DISPATCH, ({ data }) => {
      if (this.#closed) return;
      if (CLIENT_EVENTS.has(data.t)) Reflect.apply(this.#manager.emit, this.#manager, [DISPATCH, { data, shardId }]);
      dispatched(data);
    });
  }
}

/** Close code that keeps the session; 1000 would end it: https://docs.discord.com/developers/events/gateway#disconnecting */
const KEEP_SESSION = 4_200;

/** Discord's gateway servers have different host names in one domain. */
const domainOf = (url: string): string => {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${/^[\d.]+$/.test(hostname) ? hostname : hostname.split(".").slice(-2).join(".")}`;
};
