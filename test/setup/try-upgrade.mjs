import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * `npm run upgrade:try -- COMMIT` builds an older commit and upgrades it to this build under load: a rolling upgrade of two
 * gateways and two cores on NATS. The older build uses the packages of this checkout.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
/** The last commit of 0.1.0: its data is in test/fixtures/frozen/0.1.0. */
const RELEASED = "a04aee46";
const commit = process.argv[2] ?? RELEASED;
const folder = mkdtempSync(join(tmpdir(), "mooring-older-"));
try {
  const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["--extract", "--directory", folder], { input: archive });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  execFileSync(process.execPath, ["test/setup/build.mjs"], { cwd: folder, stdio: "inherit" });
  const env = { ...process.env, MOORING_OLDER_BUILD: join(folder, "dist/mooring.js") };
  const args = ["node_modules/vitest/vitest.mjs", "run", "test/outside/rolling-restart.test.ts"];
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
