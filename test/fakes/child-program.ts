import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync, transformSync } from "esbuild";
import { newerSource } from "../setup/newer-source.ts";
import { projectRoot } from "../setup/project-files.ts";
import { asRunFunction, escaped, namesOf, scriptOptions, withoutImportCalls } from "../setup/write-scripts.mjs";

const built = new Map<string, string>();

/**
 * Bundles a test program with its packages and without source maps, as scripts with a code cache. Tests start many
 * processes only to kill them, and resolving hundreds of files, compiling them or reading a source map takes longer than
 * the rest of a start. Dynamic imports become separate files, so that a start does not load the other backbone.
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
    outExtension: { ".js": ".cjs" },
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    legalComments: "none",
    external: ["libsql"],
    logLevel: "warning",
  });
  mkdirSync(OUTDIR, { recursive: true });
  const names = namesOf(outputFiles);
  for (const { path, text } of outputFiles) {
    const source = path === `${OUTDIR}/${name}.cjs` ? asRunFunction(text) : text;
    // A shorter source compiles faster: 8 % of a start.
    const { code } = transformSync(withoutImportCalls(source, names), { ...scriptOptions, minifyWhitespace: true });
    replace(path, escaped(code));
  }
  const launcher = buildSync({
    entryPoints: [fileURLToPath(new URL("./launch-child.ts", import.meta.url))],
    write: false,
    bundle: true,
    format: "esm",
    platform: "node",
    define: { PROGRAM: JSON.stringify(`${name}.cjs`) },
  });
  // Written last: a process that finds the program must find everything that it loads.
  for (const { contents } of launcher.outputFiles) replace(outfile, contents);
};

/** Atomic, because several test files may build the program concurrently. */
const replace = (path: string, contents: string | Uint8Array): void => {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
};
