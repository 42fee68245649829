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
/** The shipped settings with a free port, and a gateway with all settings changed. */
let plain: RunningProduct;
let other: Reached & { greeting: string };
const gate = new Gate();

interface Reached {
  readonly address: string;
  /** The origin of its own pages, if it differs from the address. */
  readonly origin?: string;
}
const visitorOf = async ({ address, origin = address }: Reached): Promise<RawVisitor> =>
  rig.owns(await RawVisitor.greet(address, "web", { origin }));

beforeAll(async () => {
  port = await freePort();
  models = await rig.models();
  const agents = [{ name: "mooring", model: models.named("held", () => says([gate, "done"])) }];
  // No limit of the channel may refuse a message before the gateway does.
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
    "when both run, then each listens on its configured address, and prints its public one",
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
    "when a client behind a proxy sends many requests, then the gateway that trusts the proxy applies the rate limit",
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
      // One request per ten seconds.
      expect(limited[3]?.retryAfter).toBeGreaterThan(1);
      expect((await ask(other.address, "203.0.113.8")).status).toBe(200);
    },
  );

  proves(
    ["gateway.limits.bodyBytes"],
    "when large files are uploaded concurrently, then a gateway with a smaller body budget refuses some",
    async () => {
      expect(await refusesUploads(other)).toBe(true);
      expect(await refusesUploads(plain)).toBe(false);
    },
  );

  proves(
    ["gateway.limits.waitingMessages"],
    "when more messages wait for an answer than allowed, then the next one is refused",
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
    "when more connections are opened than allowed, then the excess ones are closed",
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

/** Whether the gateway answers on a connection, or closes it. */
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
  // A refusal would be sent before the response to the next request.
  const allSent = Promise.all(sent).then(() => fetch(`${address}/health/live`));
  const isRefused = await Promise.race([...refused, allSent.then(() => false)]);
  for (const upload of uploads) upload.destroy();
  return isRefused;
};

const BODY = Buffer.alloc(19_000_000);
