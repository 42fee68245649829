import { readFileSync } from "node:fs";
import { cp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MAIN } from "../e2e/mooring-process.ts";
import { projectRoot } from "../setup/project-files.ts";

const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as { version: string };

/** Packages in the build have constants of the same name, with other versions. */
const OWN_VERSION = new RegExp(`^(var VERSION = )"${version}"`, "m");
const OWN_FORMAT = /^(var DATA_FORMAT = )\d+/m;

/** Copies the build in dist/ as another version of the product. Resolves to its main file. */
export const buildOfVersion = (version: string, folder: string): Promise<string> =>
  changedBuild(folder, OWN_VERSION, `$1"${version}"`);

/** Copies the build in dist/ as a version with another data format. Resolves to its main file. */
export const buildOfFormat = (format: number, folder: string): Promise<string> =>
  changedBuild(folder, OWN_FORMAT, `$1${format}`);

const changedBuild = async (folder: string, find: RegExp, replacement: string): Promise<string> => {
  const dist = dirname(MAIN);
  const other = join(folder, "dist");
  await cp(dist, other, { recursive: true, filter: (file) => !/\.map$|\/compiled$/.test(file) });
  await symlink(join(dist, "../node_modules"), join(folder, "node_modules"));
  let changed = 0;
  for (const name of await readdir(other)) {
    if (!name.endsWith(".cjs")) continue;
    const text = await readFile(join(other, name), "utf8");
    const renamed = text.replace(find, replacement);
    if (renamed === text) continue;
    changed++;
    await writeFile(join(other, name), renamed);
  }
  if (changed !== 1) throw new Error(`${find} is in ${changed} files of the build, not in one`);
  return join(other, "mooring.js");
};
