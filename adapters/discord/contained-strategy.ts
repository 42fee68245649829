import { SimpleShardingStrategy, WebSocketShardStatus } from "discord.js";
import { AppError } from "../../core/contract/app-error.ts";
import type { ResumableSession } from "./kept-session.ts";

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/** What the SDK keeps to itself of a shard. It has no other place to hold on to. */
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

export interface StrategyParts {
  dispatched(dispatch: Dispatch): void;
  /** Something broke inside the SDK. fatal: it will not connect again by itself. */
  broke(error: unknown, fatal: boolean): void;
  /** Waits as long as the next attempt to connect should. */
  beforeConnect(): Promise<void>;
  /** The session to go on with, if there is one. Asked once, when Discord has said where it is. */
  resumable(): ResumableSession | undefined;
  /** Discord could not be reached: is the session still worth another attempt? */
  mayResumeLater(): boolean;
}

/** All that the SDK's client has to know to keep the connection. */
const FOR_THE_CLIENT = new Set(["READY", "RESUMED"]);

/** The SDK exports another enumeration under the name of the one that has it. */
const DISPATCH = "dispatch";

/** Not exported by the SDK. */
const Recovery = { identify: 0, resume: 1 } as const;

const CLOSE_WITHIN_MS = 1_000;

/**
 * Keeps what the SDK does inside bounds. Left alone, its shard cannot be destroyed during a handshake and connects
 * again afterwards, it reconnects without a pause, gives a session up when the first attempt to come back reaches nobody,
 * and what it cannot read ends the process as an unhandled rejection.
 */
export class ContainedStrategy extends SimpleShardingStrategy {
  readonly #manager: Manager;
  readonly #parts: StrategyParts;
  #closed = false;

  constructor(manager: Manager, parts: StrategyParts) {
    super(manager);
    this.#manager = manager;
    this.#parts = parts;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    // A login that was given up while it waited for an answer comes here later.
    if (this.#closed) throw new AppError("stopped", "the connection was closed meanwhile");
    await super.spawn(shardIds);
    for (const [shardId, shard] of this.#shards) this.#contain(shard, shardId);
    await this.#resumeLater(shardIds);
  }

  /** For good, and in bounded time whatever state the connection is in. */
  async close(): Promise<void> {
    this.#closed = true;
    const shards = [...this.#shards.values()];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    const goodbye = super.destroy({ code: SESSION_GOES_ON, reason: "stopping" }).catch(() => undefined);
    await Promise.race([goodbye, late]);
    clearTimeout(timer);
    for (const { connection } of shards) {
      if (connection === null) continue;
      // One that is still connecting reports its end as an error.
      connection.onerror = () => undefined;
      connection.terminate();
    }
  }

  get #shards(): Map<number, Shard> {
    return Reflect.get(this, "shards");
  }

  /** The token goes where the session is, so that has to be where Discord says it is itself. */
  async #resumeLater([shardId = 0]: number[]): Promise<void> {
    const session = this.#parts.resumable();
    const { url } = await this.#manager.fetchGatewayInformation();
    if (session === undefined || domainOf(session.resumeUrl) !== domainOf(url)) return;
    const { sessionId, sequence, resumeUrl: resumeURL } = session;
    const shardCount = await this.#manager.getShardCount();
    await this.#manager.options.updateSessionInfo(shardId, { sessionId, sequence, resumeURL, shardId, shardCount });
  }

  #contain(shard: Shard, shardId: number): void {
    const { dispatched, broke, beforeConnect, mayResumeLater } = this.#parts;
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
        // Two reasons to reconnect at the same time are one reconnect.
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
      if (FOR_THE_CLIENT.has(data.t)) Reflect.apply(this.#manager.emit, this.#manager, [DISPATCH, { data, shardId }]);
      dispatched(data);
    });
  }
}

/** Discord ends a session that is closed with 1000: https://docs.discord.com/developers/events/gateway#disconnecting */
const SESSION_GOES_ON = 4_200;

/** The servers of Discord's gateway have names of their own in one domain. */
const domainOf = (url: string): string => {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${/^[\d.]+$/.test(hostname) ? hostname : hostname.split(".").slice(-2).join(".")}`;
};
