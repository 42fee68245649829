import { AsyncLocalStorage } from "node:async_hooks";
import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A channel whose adapter is not part of Mooring. */
export interface ForeignChannel {
  readonly channel: string;
  /** The address of the adapter's module. */
  readonly module: string;
  /** An error that no call of the adapter reported: it was thrown in a timer, an event or a forgotten promise. */
  onUncaught(error: unknown): void;
}

const running = new AsyncLocalStorage<ForeignChannel>();
const channels = new Set<ForeignChannel>();

/** Runs code of the adapter, so that errors in its timers, events and promises are recognised as its own. */
export const runForeign = <T>(channel: ForeignChannel, call: () => T): T => {
  channels.add(channel);
  return running.run(channel, call);
};

/** Runs code of Mooring that the adapter calls: its errors are not those of the adapter. */
export const runOwn = <T>(call: () => T): T => running.exit(call);

/**
 * Reports an uncaught error to the channel whose adapter threw it. False: neither an adapter nor one of the `modules`,
 * whose adapters may not be created yet, has thrown it.
 */
export const reportIfForeign = (error: unknown, modules: readonly string[] = []): boolean => {
  const thrower = running.getStore() ?? [...channels].find(({ module }) => isThrownBy(error, module));
  thrower?.onUncaught(error);
  return thrower !== undefined || modules.some((module) => isThrownBy(error, module));
};

/** By the first frame of the stack: some callbacks, such as microtasks, have no context. */
const isThrownBy = (error: unknown, module: string): boolean => {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const [frame = ""] = stack.split("\n").filter((line) => /^\s+at /.test(line) && !/\(?node:/.test(line));
  const [, url, path] = /(file:\/\/[^\s)]+?|(\/[^\s():]+|[A-Z]:\\[^\s()]+?)):\d+:\d+\)?$/.exec(frame) ?? [];
  const file = path ?? (url === undefined ? "" : fileURLToPath(url));
  const folder = `${dirname(fileURLToPath(module))}${sep}`;
  // The folder may be that of the configuration, in which Mooring itself is installed.
  return file.startsWith(folder) && !file.slice(folder.length).includes(`node_modules${sep}`);
};
