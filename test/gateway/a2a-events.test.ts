import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FastifyInstance, fastify } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PeerCall } from "../../core/a2a/peer-call.ts";
import { callKey } from "../../core/a2a/peer-call.ts";
import { openEmbeddedBackbone } from "../../core/backbone/embedded/open-embedded-backbone.ts";
import type { Backbone } from "../../core/contract/backbone.ts";
import { ack } from "../../core/contract/bus.ts";
import { silentLogger as logger } from "../../core/contract/logger.ts";
import type { PeerCallAddress } from "../../core/contract/peer-call-address.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { peerEventRoute } from "../../gateway/a2a/peer-event-route.ts";
import { toHttpError } from "../../gateway/http-error.ts";
import { Recorder } from "../fakes/recorder.ts";

const TOKEN = "the-token-of-this-very-call";
const audience = { conversation: { channel: "web", room: "r", kind: "private" as const }, personId: "p" };
const at = "2026-03-10T21:14:00.000Z";
const call: PeerCall = {
  id: "call-0123456789ab",
  tenant: "default",
  agent: "mooring",
  peer: "ships",
  mode: "task_delegate",
  message: "count them",
  headline: "Asking ships: count them",
  turnId: "t-1",
  sessionId: "s-1",
  standing: { owner: { ownerType: "agent", ownerId: "s-1" }, depth: 0, rootTurnId: "t-1", background: false },
  origin: { channel: "web", promptSummary: "go", startedAt: at, sessionId: "s-1" },
  audience,
  asker: { personId: "p", accountId: "a", name: "Ann" },
  traceId: "trace",
  chain: { root: "t-1", hops: {}, lastHopAt: 0 },
  state: "open",
  createdAt: at,
  deadlineAt: 0,
  notes: 0,
  remote: { contextId: "c", pushToken: TOKEN, looks: 1, seen: [], rounds: 0, asked: {}, answers: [], sent: 0 },
};

let dataDir: string;
let backbone: Backbone;
let app: FastifyInstance;
const hints = new Recorder<PeerCallAddress>();
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mooring-events-"));
  backbone = await openEmbeddedBackbone({ dataDir, logger });
  await backbone.store.put(callKey(call), call);
  const { remote: _, ...local } = call;
  await backbone.store.put(callKey({ ...call, id: "call-00000000000a" }), { ...local, id: "call-00000000000a" });
  await backbone.bus.consume(
    subjectsOf("default").peerEvent("mooring"),
    { durable: "test", concurrency: 1 },
    async (hint) => {
      hints.add(hint);
      return ack;
    },
  );
  app = fastify();
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = toHttpError(error);
    return reply.code(status).send(body);
  });
  await peerEventRoute(backbone)(app);
});
afterEach(async () => {
  await app.close();
  await backbone.close();
  await rm(dataDir, { recursive: true, force: true });
});

const post = async (path: string, headers: Record<string, string>, payload = "{}") =>
  (await app.inject({ method: "POST", url: `/a2a-events/${path}`, headers, payload })).statusCode;
const OWN = `default/mooring/${call.id}`;
const json = { "content-type": "application/json" };

describe("given the address that a remote agent calls back", () => {
  it.each([
    ["the call's token", { "x-a2a-notification-token": TOKEN }],
    ["it as a bearer", { authorization: `Bearer ${TOKEN}` }],
  ])("when it comes with %s, then core is told to look", async (_, headers) => {
    expect(await post(OWN, { ...json, ...headers }, JSON.stringify(headers))).toBe(202);
    await hints.until((all) => all.some(({ id }) => id === call.id));
  });

  it.each([
    ["no token", OWN, {}],
    ["a wrong one", OWN, { "x-a2a-notification-token": "forged" }],
    ["an unknown call", "default/mooring/call-ba9876543210", { "x-a2a-notification-token": TOKEN }],
    ["a call that has no token", "default/mooring/call-00000000000a", { "x-a2a-notification-token": "" }],
    ["no call at all", "default/mooring/x%00y", { "x-a2a-notification-token": TOKEN }],
    ["another tenant", `acme/mooring/${call.id}`, { "x-a2a-notification-token": TOKEN }],
  ])("when it comes with %s, then it is refused", async (_, path, headers) => {
    expect(await post(path, { ...json, ...headers })).toBe(401);
  });

  it("when it sends more than anybody reads, then it is refused", async () => {
    expect(await post(OWN, { ...json, "x-a2a-notification-token": TOKEN }, "x".repeat(1_100_000))).toBe(413);
  });
});
