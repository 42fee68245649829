import { AsyncLocalStorage } from "node:async_hooks";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const running = new AsyncLocalStorage<string>();
const modules = new Set<string>();

/** Runs code of a module, so that errors in its timers, events and forgotten promises are recognised as its own. */
export const runModule = <T>(file: string, call: () => T): T => {
  modules.add(file);
  return running.run(file, call);
};

/** Runs code of Mooring that a module calls: its errors are not those of the module. */
export const runOwn = <T>(call: () => T): T => running.exit(call);

/** The name of the module that threw an error outside of its calls; undefined: no module did. */
export const toolModuleOf = (error: unknown): string | undefined => {
  const file = running.getStore() ?? [...modules].find((module) => isThrownBy(error, module));
  return file === undefined ? undefined : basename(file);
};

/** By the first frame of the stack: some callbacks, such as microtasks, have no context. */
const isThrownBy = (error: unknown, file: string): boolean => {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frame = stack.split("\n").find((line) => /^\s+at /.test(line) && !/\(?node:/.test(line)) ?? "";
  return frame.includes(`${pathToFileURL(file).href}:`);
};
