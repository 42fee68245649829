import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "../setup/project-files.ts";
import { measureWalk } from "./measure-walk.ts";
import { type WalkName, walks } from "./walks.ts";

/**
 * Prints the source files with functions that run during a piece of work, without those that run while the product is
 * idle. `npm run walk` takes all walks; `npm run walk -- slack` takes one. `--functions` also names the functions, and
 * `--of FOLDER` measures another checkout.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { functions: { type: "boolean", default: false }, of: { type: "string", default: projectRoot } },
});
const known = Object.keys(walks) as WalkName[];
const unknown = positionals.find((name) => !known.some((walk) => walk === name));
if (unknown !== undefined) throw new Error(`there is no walk "${unknown}", only ${known.join(", ")}`);
const root = `${resolve(values.of)}/`;

for (const name of known.filter((walk) => positionals.length === 0 || positionals.includes(walk))) {
  const called = await measureWalk(walks[name](), root);
  for (const [path, functions] of called) console.log(values.functions ? `${path}: ${functions.join(" ")}` : path);
  console.log(`${name}: ${called.size} files in ${new Set([...called.keys()].map(dirname)).size} folders\n`);
}
