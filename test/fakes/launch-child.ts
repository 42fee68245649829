import { fileURLToPath } from "node:url";
import { CompiledScripts } from "../../gateway/cli/launcher/compiled-scripts.ts";

/** The file name of a test program; `childProgram` replaces it. */
declare const PROGRAM: string;

/** Most programs are killed, and live longer than this. */
const WARM_AFTER_MS = 500;

const scripts = new CompiledScripts(fileURLToPath(new URL(".", import.meta.url)));
const saveAll = (): void => {
  while (scripts.saveNext());
};
setTimeout(saveAll, WARM_AFTER_MS).unref();
const program = scripts.load(PROGRAM) as { run(): Promise<void> };
await program.run();
