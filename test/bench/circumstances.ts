import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";

/** The conditions that figures depend on: the code, the machine, and the versions of the software. */
export const circumstances = () => ({
  commit: `commit ${said("git", "describe", "--always", "--dirty")}`,
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}`,
  load: `load ${loadavg()[0]?.toFixed(1)}`,
  node: `Node ${process.version.slice(1)}`,
  nats: said("nats-server", "--version").replace(": v", " "),
  libsql: `libsql ${versionOf("libsql")}`,
  ws: `ws ${versionOf("ws")}`,
  bolt: `@slack/bolt ${versionOf("@slack/bolt")}`,
  discord: `discord.js ${versionOf("discord.js")}`,
  chat: `chat ${versionOf("chat")}`,
  botbuilder: `botbuilder ${versionOf("botbuilder")}`,
});

const said = (command: string, ...args: string[]): string => {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return `${command} unknown`;
  }
};

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string }).version;
