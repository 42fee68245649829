import { chmodSync, cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildWidget } from "../../adapters/web/widget/build.mjs";
import { buildConsole } from "../../gateway/console/pages/build.mjs";
import { bundleOptions } from "./bundle-options.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const outdir = `${root}dist`;

/** Removes the earlier build, whose files could be imported by mistake. */
rmSync(outdir, { recursive: true, force: true });

/**
 * Few files in one folder: finding hundreds of them took a third of a start. Modules that are imported on demand
 * stay separate files. `npm run check` checks types.
 */
await build({
  ...bundleOptions,
  absWorkingDir: root,
  entryPoints: { mooring: "gateway/cli/main.ts" },
  outdir,
});
chmodSync(`${outdir}/mooring.js`, 0o755);

/** The configuration loader expects its default file beside the bundle. */
cpSync(`${root}config/mooring.yaml`, `${outdir}/mooring.yaml`);

await buildWidget(outdir);
await buildConsole(outdir);
