import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { freePort } from "../setup/free-port.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let deployment: Deployment;
afterEach(() => deployment.dispose());

/** The process exited with 1 and printed the reason without a stack. */
const expectClearEnd = async (mooring: ReturnType<Deployment["run"]>, words: RegExp): Promise<void> => {
  expect(await mooring.exited).toEqual({ code: 1, signal: null });
  expect(mooring.stderr()).toMatch(words);
  expect(mooring.stderr()).not.toMatch(/\n\s+at /);
};

describe("given a start that cannot succeed", () => {
  it("when the port is in use, then the error names it and says what to do (U2)", async () => {
    const other = createServer();
    await once(other.listen(0, "127.0.0.1"), "listening");
    const { port } = other.address() as AddressInfo;
    deployment = await Deployment.create(plainConfig({ gateway: { host: "127.0.0.1", port } }));
    await expectClearEnd(deployment.run("start"), new RegExp(`^mooring: port ${port} on 127.0.0.1 is in use: stop`));
    other.close();
  });

  it("when the host is not an address of this machine, then the error names the host", async () => {
    deployment = await Deployment.create(plainConfig({ gateway: { host: "192.0.2.1", port: 0 } }));
    await expectClearEnd(deployment.run("start"), /^mooring: 192\.0\.2\.1 is not an address of this machine/);
  });

  it("when another process holds the data, then the error says so", async () => {
    deployment = await Deployment.create(plainConfig());
    await deployment.run("start").running;
    await expectClearEnd(deployment.run("start"), /^mooring: .*data.*(in use|another process|already)/i);
  });

  it("when the configuration has problems, then all are listed with their paths (U1)", async () => {
    deployment = await Deployment.create(plainConfig({ gateway: { port: 99_999 }, agents: [{ name: "mooring" }] }));
    const mooring = deployment.run("start");
    await expectClearEnd(mooring, /2 problems/);
    expect(mooring.stderr()).toContain("gateway.port");
    expect(mooring.stderr()).toContain("agents[0].model");
  });

  it.each(["gateway", "core"])(
    "when %s is run alone on the embedded backbone, then the error says what to do",
    async (part) => {
      deployment = await Deployment.create(plainConfig());
      await expectClearEnd(deployment.run(part), /needs|one process only: use "mooring start", or set backbone to/);
    },
  );

  it("when NATS is down, then the process is live, reports why it is not ready, and stops on request", async () => {
    const backbone = { nats: { servers: ["nats://127.0.0.1:9"] } };
    const port = await freePort();
    deployment = await Deployment.create(plainConfig({ backbone, gateway: { host: "127.0.0.1", port } }));
    const mooring = deployment.run("start");
    const address = `http://127.0.0.1:${port}`;
    await answers(`${address}/health/live`, mooring.exited);
    const ready = await fetch(`${address}/health/ready`);
    expect(ready.status).toBe(503);
    mooring.kill("SIGTERM");
    expect(await mooring.exited).toEqual({ code: 0, signal: null });
    expect(mooring.stderr()).toContain("127.0.0.1:9");
  });
});

describe("given the command line", () => {
  it("when it is invalid, then it exits with 2 and names the mistake", async () => {
    deployment = await Deployment.create(plainConfig());
    const mooring = deployment.run("strat");
    expect((await mooring.exited).code).toBe(2);
    expect(mooring.stderr()).toMatch(/unknown command 'strat'[\s\S]*start/);
  });

  it("when help is requested, then it explains every command", async () => {
    deployment = await Deployment.create(plainConfig());
    const mooring = deployment.run("--help");
    expect((await mooring.exited).code).toBe(0);
    for (const command of ["start", "gateway", "core", "check"]) expect(mooring.stdout()).toMatch(command);
  });

  it("when check runs, then it prints what would run; with --live, also its findings (U2)", async () => {
    deployment = await Deployment.create(plainConfig());
    const offline = deployment.run("check");
    expect((await offline.exited).code).toBe(0);
    expect(offline.stdout()).toMatch(/Agent\s+mooring, with the demo model/);
    const live = deployment.run("check", ["--live"]);
    expect((await live.exited).code).toBe(0);
    expect(live.stdout()).toMatch(/ok\s+model of mooring: demo answers/);
    expect(live.stdout()).toMatch(/ok\s+backbone: embedded; durability power-loss/);
  });

  it("when check --live finds NATS down, then it says so and exits with 1", async () => {
    deployment = await Deployment.create(plainConfig({ backbone: { nats: { servers: ["nats://127.0.0.1:9"] } } }));
    const live = deployment.run("check", ["--live"]);
    expect((await live.exited).code).toBe(1);
    expect(live.stdout()).toMatch(/problem\s+backbone: .*127\.0\.0\.1:9/);
  });
});

describe("given a nats-server", () => {
  let nats: NatsServer;
  afterEach(() => nats.stop());
  const on = (server: NatsServer) => plainConfig({ backbone: { nats: { servers: [server.url] } } });

  it("when check --live contacts it, then it prints its version and durability (U2)", async () => {
    nats = await NatsServer.start();
    deployment = await Deployment.create(on(nats));
    const live = deployment.run("check", ["--live"]);
    expect((await live.exited).code).toBe(0);
    expect(live.stdout()).toMatch(/ok\s+backbone: NATS \d+\.\d+\.\d+ with JetStream, a single server/);
    expect(live.stdout()).toMatch(/note\s+sync setting: NATS .*durability process-crash/);
  });

  it("when it has no JetStream, then a start fails and says how to enable it", async () => {
    nats = await NatsServer.start({ jetStream: false });
    deployment = await Deployment.create(on(nats));
    await expectClearEnd(
      deployment.run("start"),
      /mooring: NATS at .* has no JetStream; start it with "nats-server -js"/,
    );
  });

  it("when it refuses the credentials, then a start fails and says so", async () => {
    nats = await NatsServer.start({ auth: { token: "right" } });
    deployment = await Deployment.create(on(nats));
    await expectClearEnd(deployment.run("core"), /mooring: NATS at .* refuses the credentials/);
  });

  it("when it starts after Mooring, then Mooring is live, reports why it is not ready, and becomes ready (F4)", async () => {
    nats = await NatsServer.start({ startLater: true });
    const gateway = { host: "127.0.0.1", port: await freePort() };
    deployment = await Deployment.create({ ...on(nats), gateway });
    const mooring = deployment.run("start");
    const health = (of: "live" | "ready") => fetch(`http://127.0.0.1:${gateway.port}/health/${of}`);
    const unready = await vi.waitFor(async () => {
      const text = await (await health("ready")).text();
      expect(text).toContain("backbone");
      return text;
    }, 30_000);
    expect(unready).toContain(`cannot reach NATS at ${nats.url}`);
    expect([(await health("live")).status, (await health("ready")).status]).toEqual([200, 503]);
    await nats.restart();
    await mooring.running;
    expect((await health("ready")).status).toBe(200);
  });
});

describe("given a separate core", () => {
  it("when it has a port, then it serves health and metrics there, and nothing else (U4)", async () => {
    const nats = await NatsServer.start();
    try {
      const changes = { backbone: { nats: { servers: [nats.url], partitions: 4 } }, core: { port: 0 } };
      deployment = await Deployment.create(plainConfig(changes));
      const core = deployment.run("core");
      await core.running;
      const [address] = /http:\S+(?=\/health\/ready)/.exec(core.stdout()) ?? [];
      expect((await fetch(`${address}/health/ready`)).status).toBe(200);
      const metrics = await (await fetch(`${address}/metrics`)).text();
      expect(metrics).toContain('mooring_queue_waiting{subject="default.user.message.mooring",durable="intake"} 0');
      expect((await fetch(`${address}/`)).status).toBe(404);
    } finally {
      await nats.stop();
    }
  });
});

describe("given a channel that admits only some accounts", () => {
  it("when another account writes, then it gets an error, and the message is not stored (I2)", async () => {
    const channels = { web: { adapter: "web", access: { accounts: ["ann"] } } };
    deployment = await Deployment.create(plainConfig({ channels }));
    const address = await deployment.run("start").running;
    const client = deployment.with(new WebClient("visitor", () => address));
    const id = client.say("hello");
    await client.until(() => client.errors.length > 0, "a refusal");
    expect(client.errors[0]).toMatchObject({ code: "refused", id });
    expect(client.accepted).toEqual([]);
    expect(client.log).toEqual([]);
  });
});

describe("given a process that waits for a turn before it stops", () => {
  it("when it gets a second signal, then it exits at once, and a restart resumes the turn", async () => {
    deployment = await Deployment.create(plainConfig({ agents: [{ name: "mooring", model: SLOW }] }));
    const mooring = deployment.run("start");
    let address = await mooring.running;
    const client = deployment.with(new WebClient("visitor", () => address));
    const id = client.say("hello");
    await client.until(() => client.accepted.includes(id), "the message to be accepted");
    mooring.kill("SIGTERM");
    await client.until(() => client.closeCodes.includes(1012), "the stop to begin");
    mooring.kill("SIGTERM");
    expect(await mooring.exited).toEqual({ code: 143, signal: null });

    await writeFile(join(deployment.folder, "mooring.yaml"), JSON.stringify(plainConfig()));
    address = await deployment.run("start").running;
    await client.answerTo(id);
    expect(client.replies()).toHaveLength(1);
  });
});

describe("given a bug", () => {
  it("when a rejection is not handled, then it is logged as such and the process exits with 1", async () => {
    deployment = await Deployment.create(plainConfig());
    const bug = "process.on('SIGUSR2', () => Promise.reject(new Error('a bug')))";
    const mooring = deployment.run("start", [], { nodeArgs: ["--import", `data:text/javascript,${bug}`] });
    await mooring.running;
    mooring.kill("SIGUSR2");
    expect(await mooring.exited).toEqual({ code: 1, signal: null });
    expect(JSON.parse(mooring.stderr().trim().split("\n").at(-1) ?? "")).toMatchObject({
      level: "error",
      origin: "unhandledRejection",
      error: { message: "a bug" },
    });
  });
});

/** Writes a word every ten seconds. */
const SLOW = { provider: "demo", pauseMs: 10_000 };

const answers = async (url: string, exited: Promise<unknown>): Promise<void> => {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    if (ended) throw new Error("it ended");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
