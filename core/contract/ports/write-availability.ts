import { AppError } from "../app-error.ts";
import type { Listener } from "./bus.ts";

/** Whether the backbone stores what it is given. The backbone's own probe finds that out, never a sender. */
export interface WriteAvailability {
  /** Why nothing can be stored, for operators; undefined while writes work. */
  readonly problem: string | undefined;
  /** The listener runs when writes stop working, and when they work again. */
  onChange(listener: () => void): Listener;
}

export const alwaysWritable: WriteAvailability = { problem: undefined, onChange: () => ({ close: () => undefined }) };

/** A sender is refused because nothing can be stored. The message is for senders; the cause is for operators. */
export class Unwritable extends AppError {
  constructor(problem: string) {
    super("unavailable", "nothing can be stored at the moment: send this again in a few seconds", { cause: problem });
  }
}

export const refuseIfUnwritable = ({ problem }: WriteAvailability): void => {
  if (problem !== undefined) throw new Unwritable(problem);
};

/** Resolves once writes work, or the signal aborts. */
export const whenWritable = (writes: WriteAvailability, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (writes.problem === undefined || signal?.aborted) return resolve();
    const end = () => {
      listener.close();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const listener = writes.onChange(() => writes.problem === undefined && end());
    signal?.addEventListener("abort", end);
  });

/**
 * Rejects with Unwritable before the work begins, and while it is under way, as soon as the outage is known. Work under
 * way goes on by itself and may still be stored: its sender must retry with the same id.
 */
export const unlessUnwritable = <R>(writes: WriteAvailability, work: () => Promise<R>): Promise<R> =>
  new Promise<R>((resolve, reject) => {
    refuseIfUnwritable(writes);
    const listener = writes.onChange(() => writes.problem !== undefined && reject(new Unwritable(writes.problem)));
    const ended = work();
    ended.then(resolve, reject);
    const close = () => listener.close();
    ended.then(close, close);
  });
