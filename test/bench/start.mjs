import { spawn } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions } from "../setup/bundle-options.mjs";

/** The bench is compiled, as in production: a loader that compiles at run time costs the product up to a fifth. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const outdir = `${root}dist/bench`;
rmSync(outdir, { recursive: true, force: true });
await build({
  ...bundleOptions,
  absWorkingDir: root,
  entryPoints: [
    "test/bench/run.ts",
    ...readdirSync(`${root}test/bench/servers`)
      .filter((name) => name.endsWith("-server.ts"))
      .map((name) => `test/bench/servers/${name}`),
  ],
  outbase: "test/bench",
  outdir,
});

const run = spawn(process.execPath, ["--enable-source-maps", `${outdir}/run.js`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => run.kill(signal));
run.on("exit", (code) => process.exit(code ?? 1));
