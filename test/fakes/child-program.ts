import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { newerSource } from "../setup/newer-source.ts";
import { projectRoot } from "../setup/project-files.ts";

const built = new Map<string, string>();

/**
 * A program of the tests, bundled with its packages and without source maps: many are started only to be killed, and
 * finding hundreds of files, or reading a map, takes longer than all the rest of a start. Code that it imports only when
 * it needs it is a file of its own, so that a start does not parse the other backbone.
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
    external: ["libsql"],
    banner: { js: REQUIRE },
    logLevel: "warning",
  });
  mkdirSync(OUTDIR, { recursive: true });
  const isProgram = ({ path }: { path: string }) => path === outfile;
  // The program comes last: a process that finds it must find all that it imports.
  for (const { path, contents } of outputFiles.toSorted((a, b) => Number(isProgram(a)) - Number(isProgram(b)))) {
    // Several test files may build it at once; each puts whole files in place.
    const aside = `${path}.${process.pid}`;
    writeFileSync(aside, contents);
    renameSync(aside, path);
  }
};

/** For packages that are CommonJS. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
