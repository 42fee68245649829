import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What is left of an earlier build could be imported by mistake. */
rmSync(`${root}dist`, { recursive: true, force: true });

const compiled = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

/** The loader looks for its default beside itself. */
mkdirSync(`${root}dist/config`, { recursive: true });
for (const file of readdirSync(`${root}config`).filter((name) => /\.(yaml|json)$/.test(name))) {
  cpSync(`${root}config/${file}`, `${root}dist/config/${file}`);
}
