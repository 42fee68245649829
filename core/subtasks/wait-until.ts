import type { Subtask } from "../contract/subtask.ts";
import type { SubtaskAddress } from "../contract/subtask-message.ts";
import { orAborted } from "../turns/or-aborted.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtasks } from "./subtask-record.ts";

/** News can get lost, so the records are looked at this often all the same. */
const LOOK_AGAIN_MS = 3_000;

export interface WaitOptions {
  readonly place: Pick<SubtaskAddress, "tenant" | "agent">;
  readonly ids: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Looked at on every change. One that has expired is not among them. */
  isDone(subtasks: readonly Subtask[]): boolean;
}

/** The subtasks as they are once they are done, or when the time is up. Rejects if the signal is aborted. */
export const waitUntil = async (parts: SubtaskParts, options: WaitOptions): Promise<Subtask[]> => {
  const { place, ids, timeoutMs, signal, isDone } = options;
  const until = parts.clock.monotonic() + timeoutMs;
  for (;;) {
    const changed = nextChange(parts, ids);
    try {
      const subtasks = await readSubtasks(parts.store, place, ids);
      const leftMs = until - parts.clock.monotonic();
      if (leftMs <= 0 || isDone(subtasks)) return subtasks;
      changed.orAfter(Math.min(leftMs, LOOK_AGAIN_MS));
      await orAborted(changed.promise, signal);
    } finally {
      changed.cancel();
    }
  }
};

/** Listens from now on, so that nothing slips between looking and listening. */
const nextChange = ({ events, clock }: SubtaskParts, ids: readonly string[]) => {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const unwatch = events.watch(ids, resolve);
  let timer = { cancel() {} };
  return {
    promise,
    orAfter(ms: number) {
      timer = clock.after(ms, resolve);
    },
    cancel() {
      timer.cancel();
      unwatch();
    },
  };
};
