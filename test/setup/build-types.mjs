import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ENTRIES = ["package/adapter.d.ts", "package/tool.d.ts", "package/testing.d.ts", "package/web.d.ts"];
const IMPORT = /((?:from|import)\s*\(?\s*")(\.[^"]*)\.ts(")/g;

/** Writes the declarations of the library: only those that its entry points reach. */
export const buildTypes = (outdir) => {
  const all = mkdtempSync(join(tmpdir(), "mooring-types-"));
  try {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", "package", "--outDir", all], { cwd: root, stdio: "inherit" });
    rmSync(outdir, { recursive: true, force: true });
    const waiting = [...ENTRIES];
    for (const file of waiting) {
      const text = readFileSync(join(all, file), "utf8");
      for (const [, , path] of text.matchAll(IMPORT)) {
        const imported = join(dirname(file), `${path}.d.ts`);
        if (!waiting.includes(imported)) waiting.push(imported);
      }
      const target = join(outdir, file);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text.replace(IMPORT, "$1$2.js$3"));
    }
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
};

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) buildTypes(join(root, "dist/types"));
