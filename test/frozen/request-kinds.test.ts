import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  activityRequest,
  DeliveryRequest,
  ReplyRequest,
  type RequestKind,
  type RequestOf,
  replyRequest,
} from "../../core/contract/messages/delivery-request.ts";
import { sampleReply } from "../fakes/sample-reply.ts";
import { rowsOfFolder } from "./contents.ts";
import { frozenVersions, unpackFolder } from "./fixture.ts";
import { DeliveryRequest010 } from "./schemas-0-1-0.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-request-kinds-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const target = { channel: "paper", room: "lobby", kind: "shared" } as const;
const reply = sampleReply("r-1", target, "hello");
const activity = { id: "a-1", revision: 1, title: "Boats", items: [] };
const activityReply = { ...reply, kind: "progress" as const, data: { activity } };

const written: { [K in RequestKind]: RequestOf<K> } = {
  reply: { ...replyRequest(reply, target), holdUntil: 7, byHand: true },
  activity: activityRequest(activityReply, target),
  digest: { ...replyRequest(reply, target), kind: "digest", digestDue: true },
  "stream-start": { ...replyRequest(reply, target), kind: "stream-start", begins: true },
};
const kindIn = ({ digestDue, begins }: { digestDue?: boolean; begins?: boolean }): string => {
  if (digestDue) return "digest";
  return begins ? "stream-start" : "reply";
};
const overTheWire = (request: DeliveryRequest) => JSON.parse(JSON.stringify(request));

describe.each(frozenVersions())("given the stored delivery requests of %s", (version) => {
  it("when they are read, then each has its kind, and held requests are replies (U5)", async () => {
    await unpackFolder(version, folder);
    const { messages, collections } = rowsOfFolder(folder);
    const stored = messages.filter(({ name }) => name === "delivery").map(({ json }) => JSON.parse(json));
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.map((request) => DeliveryRequest.parse(request).kind)).toEqual(stored.map(kindIn));
    const held = collections.filter(({ name }) => name === "held-requests").map(({ json }) => JSON.parse(json));
    expect(held.length).toBeGreaterThan(0);
    expect(held.map((request) => ReplyRequest.parse(request))).toEqual(
      held.map((request) => ({ ...request, kind: "reply" })),
    );
  });
});

describe.each(Object.values(written))("given a request of kind $kind", (request) => {
  const { kind, ...fields } = request;

  it("when it has no kind on the wire, as in 0.1.0, then its kind is derived (U5)", () => {
    expect(DeliveryRequest.parse(overTheWire(fields as DeliveryRequest))).toEqual(request);
  });

  it("when 0.1.0 reads it during an upgrade, then it has the flags that 0.1.0 checks (U5)", () => {
    const { digestDue, begins, ...old } = DeliveryRequest010.parse(overTheWire(request));
    expect([digestDue, begins]).toEqual([kind === "digest" || undefined, kind === "stream-start" || undefined]);
    expect(old).toMatchObject({ id: request.id, reply: request.reply, target });
    expect(DeliveryRequest.parse(overTheWire(request))).toEqual(request);
  });
});

it("given a request with a field of a newer version, when it is read, then the field is kept", () => {
  expect(DeliveryRequest.parse({ ...written.reply, colour: "red" })).toHaveProperty("colour", "red");
});

it.each([undefined, 7, {}, reply])("given %j, when it is read as a request, then it is rejected", (other) => {
  expect(DeliveryRequest.safeParse(other).success).toBe(false);
});
