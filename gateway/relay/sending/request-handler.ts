import type { RequestKind, RequestOf } from "../../../core/contract/messages/delivery-request.ts";
import type { DeadLetter, Outcome, Received } from "../../../core/contract/ports/bus.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";

/** Handles one kind of request in the queue of a channel; `outbox/outbox.ts` lists all kinds. */
export interface RequestHandler<K extends RequestKind> {
  /** False: the handler checks the audience of each item that it sends itself (D3). */
  readonly isForOneAudience: boolean;
  /** Rejects if the store fails or another process works on the same part; the ledger makes a repeat safe. */
  handle(request: RequestOf<K>, received: Received, logger: Logger): Promise<Outcome>;
  /** The outcome after `handle` has rejected. */
  afterError(retry: () => Outcome, logger: Logger): Outcome;
  onDeadLetter(request: RequestOf<K>, letter: DeadLetter): Promise<void>;
}
