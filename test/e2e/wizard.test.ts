import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { RawVisitor } from "../outside/settings/raw-visitor.ts";
import { freePort } from "../setup/free-port.ts";
import { MAIN, requireFreshBuild, startMooring } from "./mooring-process.ts";

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

describe("given an .env file of other programs, and a script that runs the wizard", () => {
  const ANSWERS = ["--model", "openai", "--model-name", "some-model", "--model-key", "key-of-mine"];

  it("when no flag decides about it, then the file is not touched, and the flags of the error work as printed (U2)", async () => {
    const env = join(folder, ".env");
    await writeFile(env, "OTHER=1\n");
    const refused = startMooring(["init", "--yes", ...ANSWERS], { cwd: folder });
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(await readFile(env, "utf8")).toBe("OTHER=1\n");
    const [update = "", keep = ""] = refused.stderr().match(/--[a-z-]+ (?:update|keep)/g) ?? [];

    const kept = startMooring(["init", "--yes", ...ANSWERS, ...keep.split(" ")], { cwd: folder });
    expect(await kept.exited).toEqual({ code: 0, signal: null });
    expect(await readFile(env, "utf8")).toBe("OTHER=1\n");
    const updated = startMooring(["init", "--yes", "--force", ...ANSWERS, ...update.split(" ")], { cwd: folder });
    expect(await updated.exited).toEqual({ code: 0, signal: null });
    expect(await readFile(env, "utf8")).toBe("OTHER=1\nOPENAI_API_KEY='key-of-mine'\n");
  });
});

/** Pipes that the program takes for a terminal. */
const TERMINAL =
  "data:text/javascript,process.stdin.isTTY=true;process.stdout.isTTY=true;process.stdin.setRawMode=()=>process.stdin";

/** Runs the wizard in a terminal and presses these keys at the questions that it asks, in their order. */
const answerInTerminal = async (flags: readonly string[], answers: readonly (readonly [string, string])[]) => {
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(process.execPath, ["--import", TERMINAL, MAIN, "init", ...flags], { cwd: folder, env });
  const ended = once(child, "close");
  const open = [...answers];
  let shown = "";
  let seen = 0;
  child.stdout.on("data", (data) => {
    shown += data;
    const at = open[0] === undefined ? -1 : shown.indexOf(open[0][0], seen);
    if (at < 0) return;
    seen = shown.length;
    child.stdin.write(open.shift()?.[1] ?? "");
    if (open.length === 0) child.stdin.end();
  });
  wizards.push(child);
  const [code] = await ended;
  return { code: code as number | null, shown, unasked: open.map(([question]) => question) };
};

const wizards: { kill(signal: "SIGKILL"): void }[] = [];
afterEach(() => {
  for (const wizard of wizards.splice(0)) wizard.kill("SIGKILL");
});

const ENTER = "\r";
const DOWN = "\u001b[B";

describe("given the wizard in a terminal", () => {
  it.each([
    ["several people", ENTER, []],
    ["one person", `${DOWN}${ENTER}`, [["Your name", `Ada${ENTER}`]] as const],
  ])(
    "when the assistant is for %s, then the wizard asks so, and the assistant lets in or keeps out others (I1)",
    async (whom, keys, more) => {
      const port = String(await freePort());
      const flags = ["--name", "mooring", "--model", "demo", "--channels", "web", "--backbone", "embedded"];
      const { code, shown, unasked } = await answerInTerminal(
        [...flags, "--port", port],
        [["Is it for you alone or for several people?", keys], ...more, ["Its public address", ENTER]],
      );
      expect({ code, unasked }).toEqual({ code: 0, unasked: [] });
      for (const choice of ["for several people: each sees their own work", "for me alone: I see answers on all"]) {
        expect(shown).toContain(choice);
      }
      const { owner } = parse(await readFile(join(folder, "mooring.yaml"), "utf8"));
      expect(owner).toEqual(whom === "one person" ? { name: "Ada" } : undefined);

      const mooring = startMooring(["start", "--config", "mooring.yaml"], { cwd: folder });
      try {
        const address = await mooring.running;
        const visitor = await RawVisitor.greet(new URL(address).origin, "web", {});
        const first = await visitor.first("welcome", "error");
        expect(first.code ?? first.type).toBe(whom === "one person" ? "token-not-owner" : "welcome");
        await visitor.stop();
        await expect.poll(() => mooring.stdout().includes("#owner=")).toBe(whom === "one person");
      } finally {
        mooring.kill("SIGKILL");
        await mooring.exited;
      }
    },
  );
});
