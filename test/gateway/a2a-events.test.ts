import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FastifyInstance, fastify } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadIdentity, pushTokenOf } from "../../core/a2a/identity.ts";
import { openEmbeddedBackbone } from "../../core/backbone/embedded/open-embedded-backbone.ts";
import type { PeerCallAddress } from "../../core/contract/messages/addresses.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import { ack } from "../../core/contract/ports/bus.ts";
import { silentLogger as logger } from "../../core/contract/ports/logger.ts";
import { Secret } from "../../core/contract/secret.ts";
import { peerEventRoute } from "../../gateway/a2a/http/peer-event-route.ts";
import { toHttpError } from "../../gateway/http/error-responses.ts";
import { Recorder } from "../fakes/recorder.ts";

const call: PeerCallAddress = { tenant: "default", agent: "mooring", id: "call-0123456789ab" };
let token: string;

let dataDir: string;
let backbone: Backbone;
let app: FastifyInstance;
const hints = new Recorder<PeerCallAddress>();
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mooring-events-"));
  backbone = await openEmbeddedBackbone({ dataDir, logger });
  token = pushTokenOf(await loadIdentity(backbone.store), call);
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

describe("given the webhook for push notifications of remote agents", () => {
  it.each([
    ["the call's token", () => ({ "x-a2a-notification-token": token })],
    ["the token as a bearer token", () => ({ authorization: `Bearer ${token}` })],
  ])("when a notification has %s, then core gets a hint to poll", async (_, headers) => {
    expect(await post(OWN, { ...json, ...headers() }, JSON.stringify(headers()))).toBe(202);
    await hints.until((all) => all.some(({ id }) => id === call.id));
  });

  it.each([
    ["no token", OWN, () => ({})],
    ["an empty token", OWN, () => ({ "x-a2a-notification-token": "" })],
    ["a wrong token", OWN, () => ({ "x-a2a-notification-token": "forged" })],
    ["the address of another call", "default/mooring/call-ba9876543210", () => ({ "x-a2a-notification-token": token })],
    ["an invalid address", "default/mooring/x%00y", () => ({ "x-a2a-notification-token": token })],
    ["the address of another tenant", `acme/mooring/${call.id}`, () => ({ "x-a2a-notification-token": token })],
  ])("when a notification has %s, then it is refused", async (_, path, headers) => {
    expect(await post(path, { ...json, ...headers() })).toBe(401);
  });

  it("when the body is too large, then it is refused", async () => {
    expect(await post(OWN, { ...json, "x-a2a-notification-token": token }, "x".repeat(1_100_000))).toBe(413);
  });

  it("when processes derive the token, then it is the same within a deployment and differs between deployments", async () => {
    expect(pushTokenOf(await loadIdentity(backbone.store), call)).toBe(token);
    const configured = await loadIdentity(backbone.store, () => ({
      webhookKey: new Secret("a key that an operator has configured"),
    }));
    expect(pushTokenOf(configured, call)).not.toBe(token);
  });
});
