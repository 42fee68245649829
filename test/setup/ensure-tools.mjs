import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { findTool } from "./find-tool.mjs";

/**
 * Programs that the tests need besides npm packages, each with its substitutes. The Debian packages have the same names.
 * A page costs Chromium about six times the CPU that it costs the headless shell.
 */
const TOOLS = [["nats-server"], ["chromium-headless-shell", "chromium"], ["nginx"], ["prometheus"]];

/** Installs missing tools where possible, otherwise prints instructions. Returns the exit code. */
export const ensureTools = ({ isRoot = process.getuid?.() === 0, ...places } = {}) => {
  const isAbsent = (tool) => findTool(tool, places) === undefined;
  const missing = () => TOOLS.filter((names) => names.every(isAbsent));
  const preferred = (tools) => tools.map(([name]) => name);

  const aptGet = findTool("apt-get", places);
  if (isRoot && aptGet !== undefined) {
    install(aptGet, preferred(TOOLS).filter(isAbsent));
    // apt-get installs nothing at all if it does not know one of the packages.
    install(
      aptGet,
      missing().map((names) => names.at(-1)),
    );
    if (missing().length > 0) {
      console.error(`apt-get could not install: ${preferred(missing()).join(" ")}. Its messages are above.`);
    }
  }
  const names = preferred(missing());
  if (names.length === 0) return 0;
  console.error(
    [
      `The tests need ${names.join(" and ")} on PATH, and this machine has ${names.length === 1 ? "it" : "them"} not.`,
      `  Debian, Ubuntu:  sudo apt-get update && sudo apt-get install ${names.join(" ")}`,
      "  elsewhere:       install from https://nats.io/download, https://www.chromium.org, https://nginx.org and https://prometheus.io, then run this again",
    ].join("\n"),
  );
  return 1;
};

const install = (aptGet, packages) =>
  packages.length === 0 ||
  (run(aptGet, ["update", "-qq"]) && run(aptGet, ["install", "-y", "-qq", "--no-install-recommends", ...packages]));

const run = (command, args) => {
  console.log(`> ${command} ${args.join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { env, stdio: ["ignore", "inherit", "inherit"] }).status === 0;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = ensureTools();
