import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * `npm run matrix [-- VERSION …] [-- PATH …]` builds and tests with other versions of Node, which npm installs in a temporary
 * folder: `npm run matrix -- 22 24 test/core`. Default: all supported majors, and the tests that depend most on Node.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const MAJORS = ["20", "22", "24"];
/** Unit tests of every part, the packed package, and the product as a process on both backbones. */
const PATHS = [
  ...[
    "test/config",
    "test/core/backbone/embedded",
    "test/core/lib",
    "test/core/net",
    "test/core/model",
    "test/core/turns",
  ],
  ...[
    "test/adapters/slack",
    "test/adapters/telegram",
    "test/gateway/http",
    "test/gateway/reload",
    "test/gateway/telemetry",
  ],
  ...["test/package/package.test.ts", "test/e2e/start.test.ts", "test/outside/first-answer.test.ts"],
  ...["test/outside/reload.test.ts", "test/outside/downgrade.test.ts", "test/outside/backup.test.ts"],
];

const given = process.argv.slice(2);
const versions = given.filter((each) => /^\d+(\.\d+)*$/.test(each));
const paths = given.filter((each) => !versions.includes(each));

const install = (version, folder) => {
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--no-audit", "--no-fund", "--no-save", "--prefix", folder];
  execFileSync("npm", ["install", ...options, `node@${version}`], { stdio: ["ignore", "ignore", "inherit"] });
  return join(folder, "node_modules/node/bin");
};

const results = (versions.length > 0 ? versions : MAJORS).map((version) => {
  const folder = mkdtempSync(join(tmpdir(), "mooring-node-"));
  try {
    const bin = install(version, folder);
    const node = join(bin, "node");
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const run = (...args) => spawnSync(node, args, { cwd: root, env, stdio: "inherit" }).status === 0;
    const exact = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    const tests = paths.length > 0 ? paths : PATHS;
    const passed = run("test/setup/build.mjs") && run("node_modules/vitest/vitest.mjs", "run", ...tests);
    return `${exact}: ${passed ? "passed" : "FAILED"}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
console.log(results.join("\n"));
process.exitCode = results.some((result) => result.endsWith("FAILED")) ? 1 : 0;
