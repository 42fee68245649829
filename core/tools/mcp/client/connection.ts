import type { z } from "zod";
import { AppError, type ErrorCode } from "../../../contract/app-error.ts";
import type { AgentRef } from "../../../contract/messages/addresses.ts";
import type { Clock } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import type { Store } from "../../../contract/ports/store.ts";
import type { ChildGroups } from "../processes/child-groups.ts";

/**
 * A server did not start or did not answer. The message has only our own words, because the system prompt may contain it;
 * `detail` may quote the server.
 */
export class ServerFailed extends AppError {
  readonly detail: string;

  constructor(code: ErrorCode, message: string, detail: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.detail = detail;
  }
}

/** A running session with a server. The files beside this one load the SDK, so they are imported on demand. */
export interface Connection {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Resolves with the reason when the session ends. */
  readonly closed: Promise<string>;
  /** Rejects with ServerFailed, or with the reason of the signal. */
  request<T>(method: string, params: object, schema: z.ZodType<T>, options: RequestOptions): Promise<T>;
  close(): Promise<void>;
}

export interface RequestOptions {
  /** Cancels the request at the server. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface ConnectDeps {
  readonly ref: AgentRef & { readonly server: string };
  readonly groups: ChildGroups;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The version of Mooring. */
  readonly version: string;
  /** The server says that its list of tools has changed. */
  onListChanged(): void;
}
