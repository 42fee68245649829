import { readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Collection } from "../../core/contract/ports/store.ts";

const DECLARING = "core/contract/ports/store.ts";

/**
 * Every collection with its schema. Most of them are private to their file, so all files that declare one are bundled
 * with a factory that also lists its collections; the product itself has no such list.
 */
export const collectionsOfCode = async (root: string): Promise<Map<string, Collection<unknown>>> => {
  const outfile = join(root, "node_modules/.cache", `collections-${process.pid}.mjs`);
  const imports = (await declaringFiles(root)).map((file) => `import ${JSON.stringify(file)};`);
  const listing = `export { declared } from ${JSON.stringify(join(root, DECLARING))};`;
  await build({
    stdin: { contents: [...imports, listing].join("\n"), resolveDir: root },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
    // The bundler keeps an import for its effect only if it considers the file to have one.
    ignoreAnnotations: true,
    treeShaking: false,
    plugins: [
      {
        name: "list collections",
        setup: ({ onLoad }) =>
          onLoad({ filter: /core\/contract\/ports\/store\.ts$/ }, ({ path }) => ({
            loader: "ts",
            contents: listed(path),
          })),
      },
    ],
  });
  try {
    const { declared } = (await import(pathToFileURL(outfile).href)) as { declared: Collection<unknown>[] };
    return new Map(declared.map((each) => [each.name, each]));
  } finally {
    await rm(outfile, { force: true });
  }
};

const listed = (path: string): string =>
  `${readFileSync(path, "utf8").replace("export const collection =", "const made =")}
export const declared = [];
export const collection = (...given) => {
  const one = made(...given);
  declared.push(one);
  return one;
};`;

const declaringFiles = async (root: string): Promise<string[]> => {
  const found: string[] = [];
  for (const folder of ["core", "gateway", "adapters"]) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !file.endsWith(".ts") || file.endsWith(DECLARING)) continue;
      if (/[^.\w]collection\(\s*"/.test(readFileSync(file, "utf8"))) found.push(file);
    }
  }
  return found;
};
