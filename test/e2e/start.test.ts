import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { loadedPackages, REPORTS_LOADS } from "./loaded-packages.ts";
import { requireFreshBuild, startMooring } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let deployment: Deployment;
afterEach(() => deployment.dispose());

describe("given the shipped configuration on a fresh machine", () => {
  it("when it starts, then it prints its address, answers, and stops cleanly at Ctrl-C (U2)", async () => {
    deployment = await Deployment.create(plainConfig());
    const started = performance.now();
    const mooring = deployment.run("start");
    const address = await mooring.running;
    console.log(`start to ready: ${Math.round(performance.now() - started)} ms`);
    expect(mooring.stdout()).toMatch(/Agent\s+mooring, with the demo model/);
    expect(mooring.stdout()).toMatch(/Channels\s+web/);
    expect((await fetch(`${address}/health/ready`)).status).toBe(200);

    const client = deployment.with(new WebClient("visitor", () => address));
    const answer = await client.answerTo(client.say("hello there"));
    expect(answer.markdown).toContain("demo");
    expect(client.log.map(({ seq }) => seq)).toEqual([1, 2]);

    mooring.kill("SIGINT");
    expect(await mooring.exited).toEqual({ code: 0, signal: null });
    expect(client.closeCodes[0], "what it was told first; it comes back until somebody is there").toBe(1012);
    expect(mooring.stderr()).not.toContain("hello there");
  });

  it("when the wizard writes another configuration, then that runs too (U2)", async () => {
    deployment = await Deployment.create(plainConfig());
    const wizard = startMooring(["init", "--yes", "--output", "mine.yaml", "--port", "0"], { cwd: deployment.folder });
    expect(await wizard.exited).toEqual({ code: 0, signal: null });
    const address = await deployment.run("start", ["--config", "mine.yaml"]).running;
    expect((await fetch(`${address}/health/ready`)).status).toBe(200);
  });

  it("when it starts again, then the conversation and the operators' token are still there", async () => {
    deployment = await Deployment.create(plainConfig());
    const first = deployment.run("start");
    let address = await first.running;
    const tokenFile = join(deployment.folder, "data/admin-token");
    const token = (await readFile(tokenFile, "utf8")).trim();
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect(first.stdout()).toContain("data/admin-token");
    expect(first.stdout() + first.stderr()).not.toContain(token);

    const client = deployment.with(new WebClient("visitor", () => address));
    await client.answerTo(client.say("one"));
    first.kill("SIGKILL");
    await first.exited;
    const second = deployment.run("start");
    address = await second.running;
    await client.answerTo(client.say("two"));
    expect(client.log.map(({ seq, type }) => `${seq} ${type}`)).toEqual(["1 said", "2 reply", "3 said", "4 reply"]);
    expect((await readFile(tokenFile, "utf8")).trim()).toBe(token);
  });

  it("when it starts, then it loads only the configured packages (U2)", async () => {
    deployment = await Deployment.create(plainConfig());
    const mooring = deployment.run("start", [], { nodeArgs: REPORTS_LOADS });
    await mooring.running;
    const packages = await loadedPackages(mooring);
    expect(packages).toContain("fastify");
    for (const unwanted of ["nats", "ai", "@ai-sdk/openai-compatible", "@ai-sdk/anthropic"]) {
      expect(packages, "configured: demo model, embedded backbone").not.toContain(unwanted);
    }
  });
});
