import {
  cachedEnd,
  type InboundTask,
  isAtRest,
  publishCall,
  RECORD_AFTER_MS,
  readTask,
  recordCall,
  type TaskDeps,
} from "../../../core/a2a/inbound/index.ts";
import type { InboundCall } from "../../../core/contract/messages/inbound-call.ts";
import { unlessUnwritable, type WriteAvailability } from "../../../core/contract/ports/backbone.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Checkpoint } from "../../../core/contract/ports/telemetry.ts";
import type { TaskWatcher } from "./task-watch.ts";

interface AcceptDeps extends TaskDeps {
  readonly clock: Clock;
  readonly writes: WriteAvailability;
  readonly checkpoint: Checkpoint;
}

/** The task before the call is accepted. */
interface KnownTask {
  /** The task if it contains the message already. */
  readonly repeated?: InboundTask | undefined;
  /** The task exists and waits for this message. */
  readonly continuesTask?: boolean;
}

/** Accepts a call and returns its task at once. */
export const acceptCall = (deps: AcceptDeps, call: InboundCall): Promise<InboundTask> =>
  unlessUnwritable(deps.writes, async () => {
    await publishCall(deps, call);
    return recordCall(deps, call);
  });

/**
 * Accepts a call and waits until its task has ended or needs input, or until the client disconnects. The task is stored
 * with its first status, which is usually the final one. Saves 2 of 6 writes and 4 reads: 8 % of the time of a call on
 * embedded, 33 % on NATS (docs/performance.md, Saved round trips).
 */
export const awaitCall = async (
  deps: AcceptDeps,
  call: InboundCall,
  watcher: TaskWatcher,
  { repeated, continuesTask = false }: KnownTask = {},
): Promise<InboundTask> => {
  const read = async () => cachedEnd(deps.store, call) ?? readTask(deps.store, call);
  let task = repeated;
  if (task === undefined) {
    const published: InboundCall = continuesTask ? call : { ...call, isAwaited: true };
    const outcome = await unlessUnwritable(deps.writes, () => publishCall(deps, published));
    if (continuesTask || (outcome === "repeated" && (await read()))) task = await recordCall(deps, call);
  }
  let isDue = false;
  const timer = deps.clock.after(RECORD_AFTER_MS, () => {
    isDue = true;
    watcher.notify();
  });
  try {
    while ((task === undefined || !isAtRest(task)) && !watcher.isClosed) {
      const mayHaveChanged = await watcher.waitForChange();
      watcher.takeDeltas();
      if (mayHaveChanged) task = (await read()) ?? (isDue ? await recordCall(deps, call) : undefined);
    }
  } finally {
    timer.cancel();
  }
  return task ?? recordCall(deps, call);
};
