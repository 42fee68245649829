import { readFile } from "node:fs/promises";
import type { MooringProcess } from "./mooring-process.ts";

/** Node arguments that make a process print the path of each script that it loads. */
export const REPORTS_LOADS = ["--import", new URL("./report-loads.mjs", import.meta.url).href];

/** The packages in the files of the build that a process started with `REPORTS_LOADS` has loaded, by its source maps. */
export const loadedPackages = async (mooring: MooringProcess): Promise<Set<string>> => {
  const packages = new Set<string>();
  for (const [, file] of mooring.stderr().matchAll(/^loaded (.*\/dist\/.*\.cjs)$/gm)) {
    const { sources }: { sources: string[] } = JSON.parse(await readFile(`${file}.map`, "utf8"));
    for (const source of sources) {
      const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
      if (name !== undefined) packages.add(name);
    }
  }
  return packages;
};
