import type { CompiledScripts } from "./compiled-scripts.ts";

/** By then, a process has usually started and handled a message. Much later, V8 discards functions that run only once. */
const WARM_AFTER_MS = 30_000;
/** One script at a time: the longest takes about 20 ms, in which the process handles nothing else. */
const PAUSE_MS = 100;

/** Fills the code cache once the process is warm, or when it exits earlier. */
export const saveWhenWarm = (scripts: Pick<CompiledScripts, "saveNext">): void => {
  const saveSome = (): void => {
    if (scripts.saveNext()) setTimeout(saveSome, PAUSE_MS).unref();
  };
  setTimeout(saveSome, WARM_AFTER_MS).unref();
  process.once("exit", () => {
    while (scripts.saveNext());
  });
};
