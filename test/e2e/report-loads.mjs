import fs, { writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { readFileSync } = fs;

/** The product reads its scripts itself: Node's hooks for modules see only the first. */
fs.readFileSync = (file, ...options) => {
  if (String(file).endsWith(".cjs")) writeSync(2, `loaded ${file}\n`);
  return readFileSync(file, ...options);
};
syncBuiltinESMExports();
