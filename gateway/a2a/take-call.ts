import {
  type InboundCall,
  type InboundTask,
  isAtRest,
  NOTED_AFTER_MS,
  noteCall,
  publishCall,
  readTask,
  seenEnd,
  type TaskDeps,
} from "../../core/a2a/inbound/index.ts";
import type { Checkpoint } from "../../core/contract/checkpoint.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { WriteAvailability } from "../../core/contract/write-availability.ts";
import { unlessUnwritable } from "../../core/contract/write-availability.ts";
import type { TaskWatcher } from "./task-watcher.ts";

interface TakeDeps extends TaskDeps {
  readonly clock: Clock;
  readonly writes: WriteAvailability;
  readonly checkpoint: Checkpoint;
}

/** What is known of the task before the call is taken. */
interface Standing {
  /** As it is, if the same was said in it before. */
  readonly repeated?: InboundTask | undefined;
  /** It is there, and waits for this. */
  readonly goesOn?: boolean;
}

/** For a caller that wants to know its task at once. */
export const takeCall = (parts: TakeDeps, call: InboundCall): Promise<InboundTask> =>
  unlessUnwritable(parts.writes, async () => {
    await publishCall(parts, call);
    return noteCall(parts, call);
  });

/**
 * For a caller that waits: resolves once its task is at rest, or when nobody listens any more. A task is made by whoever
 * first has something to say about it, which is mostly its end: that saves a write.
 */
export const awaitCall = async (
  parts: TakeDeps,
  call: InboundCall,
  watcher: TaskWatcher,
  { repeated, goesOn = false }: Standing = {},
): Promise<InboundTask> => {
  const read = async () => seenEnd(parts.store, call) ?? readTask(parts.store, call);
  let task = repeated;
  if (task === undefined) {
    const published: InboundCall = goesOn ? call : { ...call, isAwaited: true };
    const outcome = await unlessUnwritable(parts.writes, () => publishCall(parts, published));
    if (goesOn || (outcome === "repeated" && (await read()))) task = await noteCall(parts, call);
  }
  let isDue = false;
  const timer = parts.clock.after(NOTED_AFTER_MS, () => {
    isDue = true;
    watcher.poke();
  });
  try {
    while ((task === undefined || !isAtRest(task)) && !watcher.isClosed) {
      const mayHaveChanged = await watcher.news();
      watcher.takeDeltas();
      if (mayHaveChanged) task = (await read()) ?? (isDue ? await noteCall(parts, call) : undefined);
    }
  } finally {
    timer.cancel();
  }
  return task ?? noteCall(parts, call);
};
