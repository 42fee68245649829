import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect } from "vitest";
import { Gate, says } from "../../fakes/model-answer.ts";
import { freePort } from "../../setup/free-port.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { RawVisitor } from "./raw-visitor.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
const HOST = "127.0.0.2";
const CONNECTIONS = 30;
let port: number;
let models: ModelBoard;
/** Everything as shipped but for a port of its own, and everything otherwise. */
let plain: RunningProduct;
let other: Reached & { greeting: string };
const gate = new Gate();

interface Reached {
  readonly address: string;
  /** The site that its own pages are on, if not the address. */
  readonly origin?: string;
}
const visitorOf = async ({ address, origin = address }: Reached): Promise<RawVisitor> =>
  rig.owns(await RawVisitor.greet(address, "web", { origin }));

beforeAll(async () => {
  port = await freePort();
  models = await rig.models();
  const agents = [{ name: "mooring", model: models.named("held", () => says([gate, "done"])) }];
  // no limit of the channel may refuse a message before the gateway does
  const channels = { web: { adapter: "web", limits: { messagesPerSecond: 1_000, messageBurst: 1_000 } } };
  plain = await rig.start({ agents, channels });
  const gateway = {
    host: HOST,
    port,
    publicUrl: "https://chat.example",
    trustedProxies: ["127.0.0.0/8"],
    limits: {
      connections: CONNECTIONS,
      requestsPerSecond: 0.1,
      requestBurst: 3,
      bodyBytes: 100_000_000,
      waitingMessages: 1,
    },
  };
  const { address, process } = await rig.start({ gateway, agents, channels });
  other = { address, origin: "https://chat.example", greeting: process.stdout() };
});

const isRefused = (host: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => resolve(socket.destroy() === undefined));
    socket.once("error", () => resolve(true));
  });

describe("given a gateway as shipped, and one with other settings", () => {
  proves(
    ["gateway.host", "gateway.port", "gateway.publicUrl"],
    "when both run, then each listens where it is told to, and says how people reach it",
    async () => {
      expect(new URL(plain.address).port).not.toBe(String(port));
      expect((await fetch(`${other.address}/health/ready`)).status).toBe(200);
      expect(await isRefused("127.0.0.1")).toBe(true);
      expect(other.greeting).toMatch(/Open\s+https:\/\/chat\.example/);
      expect(plain.process.stdout()).not.toContain("chat.example");
    },
  );

  proves(
    ["gateway.trustedProxies", "gateway.limits.requestsPerSecond", "gateway.limits.requestBurst"],
    "when an address behind a proxy asks often, then the gateway that trusts the proxy refuses what is too much",
    async () => {
      const ask = async (address: string, from: string) => {
        const answer = await fetch(`${address}/health/live`, { headers: { "x-forwarded-for": from } });
        return { status: answer.status, retryAfter: Number(answer.headers.get("retry-after")) };
      };
      const four = async (address: string) => {
        const [one, two, three] = [await ask(address, FROM), await ask(address, FROM), await ask(address, FROM)];
        return [one, two, three, await ask(address, FROM)];
      };
      expect((await four(plain.address)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const limited = await four(other.address);
      expect(limited.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      // one in ten seconds
      expect(limited[3]?.retryAfter).toBeGreaterThan(1);
      expect((await ask(other.address, "203.0.113.8")).status).toBe(200);
    },
  );

  proves(
    ["gateway.limits.bodyBytes"],
    "when large files are uploaded at once, then a gateway with less room for them refuses some",
    async () => {
      expect(await refusesUploads(other)).toBe(true);
      expect(await refusesUploads(plain)).toBe(false);
    },
  );

  proves(
    ["gateway.limits.waitingMessages"],
    "when more messages wait for an answer than may, then the next one is refused",
    async () => {
      const sayBehindOthers = async (product: Reached) => {
        const [busy, next] = [await visitorOf(product), await visitorOf(product)];
        for (let message = 0; message < 4; message++) await busy.say("hello");
        return () => next.say("hello");
      };
      const sayToPlain = await sayBehindOthers(plain);
      await expect.poll(await sayBehindOthers(other)).toBe("rate-limited");
      expect(await sayToPlain()).toBe("accepted");
      gate.release();
    },
  );

  proves(
    ["gateway.limits.connections"],
    "when more connections are opened than it takes, then those beyond are cut",
    async () => {
      const opened = async (address: string) => {
        const { hostname, port } = new URL(address);
        const sockets = await Promise.all(
          Array.from({ length: CONNECTIONS + 5 }, async () => {
            const socket = connect(Number(port), hostname);
            socket.on("error", () => undefined);
            await Promise.race([once(socket, "connect"), once(socket, "close")]);
            return socket;
          }),
        );
        const answered = await Promise.all(sockets.map(isAnswered));
        for (const socket of sockets) socket.destroy();
        return answered.filter((is) => is).length;
      };
      expect(await opened(plain.address)).toBe(CONNECTIONS + 5);
      expect(await opened(other.address)).toBeLessThanOrEqual(CONNECTIONS);
    },
  );
});

const FROM = "203.0.113.7";

/** Whether the gateway answers on a connection, or cuts it. */
const isAnswered = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    socket.once("data", () => resolve(true));
    socket.once("close", () => resolve(false));
    if (socket.destroyed) resolve(false);
    else socket.write("GET /health/live HTTP/1.1\r\nhost: mooring\r\n\r\n");
  });

/** Whether a gateway refuses one of five uploads of 19 MB that arrive at once and do not end. */
const refusesUploads = async (product: Reached): Promise<boolean> => {
  const { address } = product;
  const token = await (await visitorOf(product)).token();
  const uploads = Array.from({ length: 5 }, () => {
    const headers = { authorization: `Bearer ${token}`, "content-length": BODY.length + 1 };
    return request(`${address}/channels/web/files?name=a.txt`, { method: "POST", headers });
  });
  const refused = uploads.map(
    (upload) =>
      new Promise<boolean>((resolve) => {
        upload.once("response", (response: IncomingMessage) => resolve(response.statusCode === 503));
        upload.once("error", () => resolve(true));
      }),
  );
  const sent = uploads.map((upload) => new Promise<void>((resolve) => upload.write(BODY, () => resolve())));
  // a refusal would be written before the next request is answered
  const allSent = Promise.all(sent).then(() => fetch(`${address}/health/live`));
  const isRefused = await Promise.race([...refused, allSent.then(() => false)]);
  for (const upload of uploads) upload.destroy();
  return isRefused;
};

const BODY = Buffer.alloc(19_000_000);
