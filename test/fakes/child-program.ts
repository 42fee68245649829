import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { newerSource } from "../setup/newer-source.ts";
import { projectRoot } from "../setup/project-files.ts";

const built = new Map<string, string>();

/**
 * Bundles a test program with its packages and without source maps. Tests start many processes only to kill them, and
 * resolving hundreds of files or reading a source map takes longer than the rest of a start. Dynamic imports become
 * separate files, so that a start does not parse the other backbone.
 */
export const childProgram = (source: URL): string => {
  const known = built.get(source.href);
  if (known !== undefined) return known;
  const file = fileURLToPath(source);
  const name = relative(projectRoot, file).replaceAll(/[/\\]/g, "-").replace(/\.ts$/, "");
  const outfile = `${OUTDIR}/${name}.mjs`;
  if (!existsSync(outfile) || newerSource(outfile, SOURCES) !== undefined) bundle(file, name, outfile);
  built.set(source.href, outfile);
  return outfile;
};

const OUTDIR = `${projectRoot}dist/test`;
const SOURCES = ["core", "adapters", "gateway", "config", "test"];

const bundle = (file: string, name: string, outfile: string): void => {
  const { outputFiles } = buildSync({
    entryPoints: [{ in: file, out: name }],
    outdir: OUTDIR,
    outExtension: { ".js": ".mjs" },
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // A shorter source compiles faster: 8 % of a start.
    minifyWhitespace: true,
    legalComments: "none",
    external: ["libsql"],
    banner: { js: REQUIRE },
    logLevel: "warning",
  });
  mkdirSync(OUTDIR, { recursive: true });
  const isProgram = ({ path }: { path: string }) => path === outfile;
  // Written last: a process that finds the program must find everything that it imports.
  for (const { path, contents } of outputFiles.toSorted((a, b) => Number(isProgram(a)) - Number(isProgram(b)))) {
    // Atomic, because several test files may build the program concurrently.
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, contents);
    renameSync(temporary, path);
  }
};

/** CommonJS packages need `require`. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
