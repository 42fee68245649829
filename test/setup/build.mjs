import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildWidget } from "../../adapters/web/widget/build.mjs";
import { buildConsole } from "../../gateway/console/pages/build.mjs";

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

chmodSync(`${root}dist/gateway/cli/main.js`, 0o755);

/** What browsers run is bundled, not compiled file by file. */
await buildWidget(`${root}dist/adapters/web`);
await buildConsole(`${root}dist/gateway/console`);
