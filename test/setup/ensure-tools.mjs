import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { findTool } from "./find-tool.mjs";

/** Programs that the tests need besides npm packages. The Debian packages have the same names. */
const TOOLS = ["nats-server", "chromium", "nginx", "prometheus"];

/** Installs missing tools where possible, otherwise prints instructions. Returns the exit code. */
export const ensureTools = ({ isRoot = process.getuid?.() === 0, ...places } = {}) => {
  const absent = () => TOOLS.filter((tool) => findTool(tool, places) === undefined);
  const missing = absent();
  if (missing.length === 0) return 0;

  const aptGet = findTool("apt-get", places);
  if (isRoot && aptGet !== undefined) {
    const installed =
      run(aptGet, ["update", "-qq"]) && run(aptGet, ["install", "-y", "-qq", "--no-install-recommends", ...missing]);
    if (installed && absent().length === 0) return 0;
    console.error(`apt-get could not install: ${absent().join(" ")}. Its messages are above.`);
  }
  console.error(
    [
      `The tests need ${missing.join(" and ")} on PATH, and this machine has ${missing.length === 1 ? "it" : "them"} not.`,
      `  Debian, Ubuntu:  sudo apt-get update && sudo apt-get install ${missing.join(" ")}`,
      "  elsewhere:       install from https://nats.io/download, https://www.chromium.org, https://nginx.org and https://prometheus.io, then run this again",
    ].join("\n"),
  );
  return 1;
};

const run = (command, args) => {
  console.log(`> ${command} ${args.join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { env, stdio: ["ignore", "inherit", "inherit"] }).status === 0;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = ensureTools();
