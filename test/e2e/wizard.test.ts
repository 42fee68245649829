import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../setup/free-port.ts";
import { requireFreshBuild, startMooring } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-wizard-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs a line as a person pastes it into a shell. */
const shell = (line: string, input = "") => {
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn("sh", ["-c", `exec ${line.trim()}`], { cwd: folder, env });
  child.stdin.end(input);
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, ended };
};

describe("given a configuration that the wizard has just written", () => {
  it("when its printed commands are run as they are, then Mooring is checked, starts and answers (U2)", async () => {
    const args = ["init", "--yes", "--output", "my agent.yaml", "--port", String(await freePort())];
    const wizard = startMooring(args, { cwd: folder });
    expect(await wizard.exited).toEqual({ code: 0, signal: null });
    const commands = wizard.stdout().match(/^ {2}node .+$/gm) ?? [];
    expect(commands).toHaveLength(3);
    const [check = "", start = "", chat = ""] = commands;

    const checked = shell(check);
    expect(await text(checked.child.stdout)).toContain("No problems found.");
    expect(await checked.ended).toBe(0);

    const started = shell(start);
    let greeting = "";
    for await (const chunk of started.child.stdout) {
      greeting += chunk;
      if (greeting.includes("Ctrl-C stops it.")) break;
    }
    try {
      expect(wizard.stdout()).toContain(/Open\s+(\S+)/.exec(greeting)?.[1]);
      const talk = shell(chat, "what is 6 * 7?\n");
      expect(await text(talk.child.stdout)).toContain("42");
      expect(await talk.ended).toBe(0);
    } finally {
      started.child.kill("SIGKILL");
      await started.ended;
    }
  });
});
