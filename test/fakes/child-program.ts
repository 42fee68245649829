import { renameSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { projectRoot } from "../setup/project-files.ts";

const built = new Map<string, string>();

/**
 * A program of the tests, bundled with its packages and without source maps: many are started only to be killed, and
 * finding hundreds of files, or reading a map, takes longer than all the rest of a start.
 */
export const childProgram = (source: URL): string => {
  const known = built.get(source.href);
  if (known !== undefined) return known;
  const file = fileURLToPath(source);
  const outfile = `${projectRoot}dist/test/${relative(projectRoot, file).replaceAll(/[/\\]/g, "-").replace(/\.ts$/, ".mjs")}`;
  // Several test files may build it at once; each puts a whole one in place.
  const aside = `${outfile}.${process.pid}.mjs`;
  buildSync({
    entryPoints: [file],
    outfile: aside,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["libsql"],
    banner: { js: REQUIRE },
    logLevel: "warning",
  });
  renameSync(aside, outfile);
  built.set(source.href, outfile);
  return outfile;
};

/** For packages that are CommonJS. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
