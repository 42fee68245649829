import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../setup/free-port.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { MAIN, requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let deployment: Deployment;
afterEach(() => deployment.dispose());

/** Pipes lines into `mooring chat`, as a script does. */
const script = async (lines: string, ...args: string[]) => {
  const env = { PATH: process.env.PATH, HOME: deployment.folder };
  const child = spawn(process.execPath, [MAIN, "chat", ...args], { cwd: deployment.folder, env });
  child.stdin.end(lines);
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: (await ended)[0] };
};

describe("given a running gateway", () => {
  it("when a script chats with it, then it gets its answers, and a second run is the same visitor (U2)", async () => {
    deployment = await Deployment.create(plainConfig({ channels: { cli: { adapter: "web" } } }));
    const url = await deployment.run("start").running;
    const first = await script("what is the tide?\n/help\n", "--url", url);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain("what is the tide?");
    expect(first.stdout, "only answers").not.toContain("You are talking to");
    expect(first.stdout).toMatch(/cancel \[id/);
    const kept = join(deployment.folder, ".mooring");
    const [file = ""] = await readdir(kept);
    expect((await stat(join(kept, file))).mode & 0o777).toBe(0o600);
    expect((await script("/status\n", "--url", url)).code).toBe(0);
  });

  it("when a script asks for a channel that it does not have, then the command fails at once and names --channel (U2)", async () => {
    deployment = await Deployment.create(plainConfig({ channels: { site: { adapter: "web" } } }));
    const url = await deployment.run("start").running;
    const startedAt = performance.now();
    const answer = await script("hello\n", "--url", url, "--wait", "300");
    expect(answer).toEqual({
      code: 1,
      stdout: "",
      stderr: `mooring: the gateway at ${url} has no web channel "cli": choose one with --channel\n`,
    });
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect((await script("/help\n", "--url", url, "--channel", "site")).code).toBe(0);
  });

  it("when the reader of its output ends early, as `| head` does, then it ends quietly (U2)", async () => {
    deployment = await Deployment.create(plainConfig({ channels: { cli: { adapter: "web" } } }));
    const url = await deployment.run("start").running;
    const env = { PATH: process.env.PATH, HOME: deployment.folder };
    const child = spawn(process.execPath, [MAIN, "chat", "--url", url], { cwd: deployment.folder, env });
    child.stdout.destroy();
    child.stdin.on("error", () => undefined).end("/help\n");
    const ended = once(child, "close");
    expect(await text(child.stderr)).toBe("");
    expect((await ended)[0]).toBe(0);
  });
});

describe("given no running gateway", () => {
  it("when a script chats with it, then the command fails at once and says what to do (U2)", async () => {
    deployment = await Deployment.create(plainConfig());
    const url = `http://127.0.0.1:${await freePort()}`;
    const startedAt = performance.now();
    const answer = await script("hello\n", "--url", url, "--wait", "300");
    expect(answer).toMatchObject({ code: 1, stdout: "" });
    expect(answer.stderr).toMatch(
      /^mooring: no gateway answers at .+ECONNREFUSED.+: start it with "mooring start", or set/,
    );
    expect(answer.stderr).toContain(`no gateway answers at ${url} (`);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  it("when its server answers but takes no conversation, then the command fails after --wait", async () => {
    deployment = await Deployment.create(plainConfig());
    const silent = createServer((_, response) => void response.writeHead(503).end()).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const answer = await script("hello\n", "--url", `http://127.0.0.1:${port}`, "--wait", "1");
    silent.close();
    expect(answer).toMatchObject({ code: 1, stdout: "" });
    expect(answer.stderr).toMatch(/does not answer[\s\S]*\nmooring: timed out waiting for 1 answer\n$/);
  });

  it("when the configuration has no such channel, then the error says which lines to add", async () => {
    deployment = await Deployment.create(plainConfig());
    const answer = await script("", "--config", "mooring.yaml");
    expect(answer).toMatchObject({ code: 1 });
    expect(answer.stderr).toContain('add "cli: { adapter: web }"');
  });
});
