import { writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { connect, type JetStreamManager, nkeys } from "nats";
import { beforeAll, describe, expect } from "vitest";
import { NatsServer } from "../../fakes/nats-server.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { freePort } from "../../setup/free-port.ts";
import { timed } from "../../setup/stopwatch.ts";
import { proves } from "./proves.ts";
import { SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let nats: NatsServer;
let manager: JetStreamManager;
let port: number;
const HOST = "127.0.0.3";

/** Mooring's user may not subscribe to the default inbox prefix of NATS. */
const SERVER_CONFIG = `
jetstream { store_dir: "./jetstream" }
authorization { users: [
  { user: "mooring", password: "of-mooring", permissions: { subscribe: { deny: ["_INBOX.>"] }, publish: ">" } },
  { user: "probe", password: "of-the-probe" },
] }
`;
const settings = () => ({
  servers: [nats.url],
  user: "mooring",
  password: "of-mooring",
  inboxPrefix: "_INBOX_mooring",
  prefix: "harbour",
  partitions: 3,
  leaseMs: 500,
});
const core = (natsSettings: object, listening: object = {}) =>
  rig.run({ backbone: { nats: natsSettings }, core: listening }, { command: "core" });

beforeAll(async () => {
  const configFile = join(await rig.folder(), "nats.conf");
  await writeFile(configFile, SERVER_CONFIG);
  nats = rig.owns(await NatsServer.start({ configFile }));
  const probe = await connect({ servers: nats.url, user: "probe", pass: "of-the-probe" });
  rig.owns({ stop: () => probe.close() });
  manager = await probe.jetstreamManager();
  port = await freePort();
  const { process } = await core(settings(), { host: HOST, port });
  await process.running;
});

const streams = async () => {
  const found = [];
  for await (const stream of manager.streams.list()) found.push(stream);
  return found;
};

describe("given a core on a real nats-server", () => {
  proves(
    [
      "backbone.nats.servers",
      "backbone.nats.user",
      "backbone.nats.password",
      "backbone.nats.prefix",
      "backbone.nats.inboxPrefix",
      "core.host",
      "core.port",
    ],
    "when it runs, then it has signed in, all its data has the prefix, and it serves on the configured address",
    async () => {
      expect((await fetch(`http://${HOST}:${port}/health/ready`)).status).toBe(200);
      await expect(fetch(`http://127.0.0.1:${port}/health/ready`)).rejects.toThrow();
      const names = (await streams()).map(({ config }) => config.name.replace(/^KV_/, ""));
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !name.startsWith("harbour"))).toEqual([]);
      const { process } = await core({ ...settings(), inboxPrefix: "_INBOX" });
      await expect.poll(() => process.stderr()).toMatch(/permissions|timeout|cannot/i);
      expect(process.stdout()).not.toContain("Ctrl-C stops it.");
    },
  );

  proves(
    ["backbone.nats.partitions", "backbone.nats.replicas"],
    "when another one has other partitions, or more replicas than servers, then it fails with the reason",
    async () => {
      const parts = await core({ ...settings(), partitions: 4 });
      await expect.poll(() => parts.process.stderr()).toContain("has 3 partitions, not 4");
      const copies = await core({ ...settings(), prefix: "copies", replicas: 3 });
      await expect.poll(() => copies.process.stderr()).toMatch(/replicas/);
    },
  );

  proves(["backbone.nats.leaseMs"], "when it is idle, then it sends several heartbeats within a lease", async () => {
    const written = async () => (await streams()).reduce((sum, { state }) => sum + state.last_seq, 0);
    const before = await written();
    const { undelayedMs } = await timed(async () => await expect.poll(written).toBeGreaterThan(before + 5));
    // With the default of 10 s it would take 16 s.
    expect(undelayedMs).toBeLessThan(12_000);
  });
});

/** A server that refuses every client, and records the credentials that they present. */
class NatsGreeter {
  readonly shown = new Recorder<Readonly<Record<string, unknown>>>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly url: string;

  constructor(port: number) {
    this.url = `nats://127.0.0.1:${port}`;
    const info = { server_id: "S", version: "2.10.0", proto: 1, max_payload: 1_000_000, nonce: "n0nce" };
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.write(`INFO ${JSON.stringify({ ...info, host: "127.0.0.1", port, auth_required: true })}\r\n`);
      socket.on("data", (data) => {
        const [, json] = /CONNECT (\{.*\})\r\n/.exec(String(data)) ?? [];
        if (json !== undefined) this.shown.add(JSON.parse(json));
      });
    });
    this.#server.listen(port, "127.0.0.1");
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe("given a nats-server that requires authentication", () => {
  proves(
    ["backbone.nats.token", "backbone.nats.credentialsFile"],
    "when a core signs in, then it sends the token, or the credentials of its file",
    async () => {
      const greeter = rig.owns(new NatsGreeter(await freePort()));
      const user = nkeys.createUser();
      const file = join(await rig.folder(), "mooring.creds");
      const seed = new TextDecoder().decode(user.getSeed());
      const framed = (name: string, text: string) => `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
      await writeFile(file, framed("NATS USER JWT", "jwt-of-mooring") + framed("USER NKEY SEED", seed));
      await core({ servers: [greeter.url], token: "token-of-mooring" });
      const [plain] = await greeter.shown.count(1);
      expect(plain).toMatchObject({ auth_token: "token-of-mooring" });
      await core({ servers: [greeter.url], credentialsFile: file });
      const shown = await greeter.shown.until((all) => all.some(({ jwt }) => jwt !== undefined));
      expect(shown.at(-1)).toMatchObject({ jwt: "jwt-of-mooring", sig: expect.any(String) });
    },
  );
});
