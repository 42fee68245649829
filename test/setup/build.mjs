import { chmodSync, cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildWidget } from "../../adapters/web/widget/build.mjs";
import { buildConsole } from "../../gateway/console/pages/build.mjs";
import { buildLibrary, buildWebClient } from "./build-library.mjs";
import { bundleOptions } from "./bundle-options.mjs";
import { writeNotices } from "./write-notices.mjs";
import { writeScripts } from "./write-scripts.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const outdir = `${root}dist`;

/** esbuild reads most files once: collecting garbage less often saves a fifth of its CPU time for 80 MB more memory. */
process.env.GOGC ??= "400";

/** Removes the earlier build, whose files could be imported by mistake. */
rmSync(outdir, { recursive: true, force: true });

/**
 * Few files in one folder: finding hundreds of them took a third of a start. Modules that are imported on demand
 * stay separate files. `npm run check` checks types.
 */
const program = build({
  ...bundleOptions,
  absWorkingDir: root,
  entryPoints: { "run-cli": "gateway/cli/run-cli.ts" },
  outExtension: { ".js": ".cjs" },
  outdir,
  sourcemap: "inline",
  write: false,
  metafile: true,
}).then(async (built) => {
  await writeScripts(built.outputFiles);
  return built;
});
/** The file that people run, and those that the product runs as worker threads. */
const started = build({
  ...bundleOptions,
  absWorkingDir: root,
  entryPoints: {
    mooring: "gateway/cli/launcher/launch.ts",
    "read-document-worker": "core/tools/fetch-url/read-document-worker.ts",
    "read-file-worker": "core/files/reading/read-file-worker.ts",
  },
  outdir,
  metafile: true,
});
const parts = [buildLibrary, buildWebClient, buildWidget, buildConsole].map((buildPart) => buildPart(outdir));
const built = await Promise.all([program, started, ...parts]);
const metafiles = built.map(({ metafile }) => metafile);
writeNotices(root, `${outdir}/THIRD-PARTY-LICENSES.txt`, metafiles);
chmodSync(`${outdir}/mooring.js`, 0o755);

/** The configuration loader expects its default file beside the bundle. */
cpSync(`${root}config/mooring.yaml`, `${outdir}/mooring.yaml`);
/** For editors: `# yaml-language-server: $schema=node_modules/mooring/dist/mooring.schema.json`. */
cpSync(`${root}config/mooring.schema.json`, `${outdir}/mooring.schema.json`);
