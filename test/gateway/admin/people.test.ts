import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { ack, deadLetterKey } from "../../../core/contract/ports/bus.ts";
import { accountMemoryKey } from "../../../core/memory/lasting/memory-record.ts";
import { accountKey, findPerson, personKey, unlinkedPersonId } from "../../../core/people/person-record.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";

let rig: AdminRig;
beforeEach(async () => {
  rig = await AdminRig.open();
});
afterEach(() => rig.close());

const SINCE = "2026-01-01T00:00:00.000Z";
const account = (channel: string, joined = 0, more: object = {}) => ({
  channel,
  accountId: "ann",
  name: "Ann",
  since: SINCE,
  joined,
  ...more,
});

/** One person with these accounts, each of which has written in private. */
const person = async (tenant: string, ...accounts: ReturnType<typeof account>[]) => {
  const { store } = rig.backbone;
  const id = unlinkedPersonId(tenant, accounts[0]?.channel ?? "", "ann");
  const surfaces = accounts.map(({ channel, accountId }) => ({
    conversation: { channel, room: `room of ${accountId}`, kind: "private" as const },
    channel,
    accountId,
    agent: "mooring",
    since: SINCE,
  }));
  await store.put(personKey(tenant, id), { id, tenant, membership: 1, accounts, surfaces });
  for (const { channel, accountId } of accounts) {
    await store.put(accountKey({ tenant, channel, accountId }), { personId: id });
  }
  return id;
};
const people = async (headers?: Record<string, string>) => (await rig.call("GET", "people", undefined, headers)).body;
const slack = { channel: "slack", accountId: "ann" };

describe("given people with linked accounts", () => {
  it("when they are listed, then each has their accounts, in pages, within the tenant", async () => {
    const id = await person("default", account("web"), account("slack", 1));
    await person("acme", account("web-acme"));
    expect((await people()).items).toMatchObject([
      { id, tenant: "default", accounts: [{ channel: "web", name: "Ann", declared: false }, { channel: "slack" }] },
      { tenant: "acme" },
    ]);
    const first = (await rig.call("GET", "people?limit=1")).body;
    const rest = (await rig.call("GET", `people?limit=1&after=${first.next}`)).body;
    expect([first.items[0].tenant, rest.items[0].tenant, rest.next]).toEqual(["default", "acme", undefined]);
    expect((await people(acmeAdmin)).items).toMatchObject([{ tenant: "acme" }]);
    expect((await rig.call("GET", "people?tenant=default", undefined, acmeAdmin)).status).toBe(404);
  });

  it("when the agents remember something of a person, then operators see how much, and no words (M4, R4)", async () => {
    await person("default", account("web"), account("slack", 1));
    const text = "likes tea";
    const conversation = { channel: "slack", room: "D1", kind: "private" as const };
    const entry = { id: "m-1", number: 1, text, at: SINCE, by: account("slack"), conversation, personId: null };
    const record = { entries: [entry], lastNumber: 1, erased: [] };
    await rig.backbone.store.put(accountMemoryKey({ tenant: "default", agent: "mooring" }, slack), record);
    const [ann] = (await people()).items;
    expect(ann.memory).toEqual({ entries: 1, bytes: 9 });
    expect(JSON.stringify(ann)).not.toContain(text);
  });

  it("when an account is unlinked, then it becomes a separate person, and both sides are notified (I1)", async () => {
    const id = await person("default", account("web"), account("slack", 1));
    const notices = new Recorder<AgentReply>();
    const subject = subjectsOf("default").userResponse("mooring");
    const consumer = await rig.backbone.bus.consume(subject, { durable: "test", concurrency: 1 }, async (reply) => {
      notices.add(reply);
      return ack;
    });
    const { ref } = (await people()).items[0];
    const { status, body } = await rig.call("POST", `people/${ref}/unlink`, slack);
    expect([status, body.accounts.map(({ channel }: { channel: string }) => channel)]).toEqual([200, ["web"]]);
    expect((await findPerson(rig.backbone.store, { tenant: "default", ...slack })).person.id).not.toBe(id);
    const words = await notices.until((replies) => replies.length === 2);
    expect(words.map(({ audience, markdown }) => [audience.conversation.channel, markdown])).toEqual([
      ["web", "An operator of this service has unlinked “Ann” on slack from this account."],
      ["slack", "An operator of this service has unlinked “Ann” on web from this account."],
    ]);
    await consumer.close();
  });

  it("when an account cannot be unlinked, then the answer says why", async () => {
    await person("default", account("web"), account("slack", 1, { declared: true }));
    const { ref } = (await people()).items[0];
    expect((await rig.call("POST", `people/${ref}/unlink`, slack)).body.error.message).toContain("configuration");
    expect((await rig.call("POST", `people/${ref}/unlink`, { ...slack, channel: "teams" })).status).toBe(404);
    expect((await rig.call("POST", `people/${ref}/unlink`, slack, acmeAdmin)).status).toBe(404);
    expect((await rig.call("POST", `people/${ref}/unlink`, {})).status).toBe(400);
  });
});

describe("given a message that no handler could process", () => {
  it("when a platform admin lists dead letters, then they can dismiss it once; other operators do not see it", async () => {
    const letter = {
      subject: "default.user.message.mooring",
      durable: "intake",
      id: "m1",
      message: { text: "what was said in private" },
      reason: "it broke",
      attempts: 5,
      publishedAt: SINCE,
      deadAt: SINCE,
    };
    await rig.backbone.store.put(deadLetterKey("intake", "m1"), letter);
    const { items } = (await rig.call("GET", "dead-letters?kind=message")).body;
    expect(items).toMatchObject([{ kind: "message", queue: "intake", id: "m1", reason: "it broke" }]);
    expect(JSON.stringify(items)).not.toContain("private");
    expect((await rig.call("GET", "dead-letters?kind=message", undefined, acmeAdmin)).status).toBe(403);
    const path = `dead-letters/${items[0].ref}`;
    expect((await rig.call("POST", `${path}/dismiss`, undefined, acmeAdmin)).status).toBe(403);
    expect((await rig.call("POST", `${path}/retry`)).body.error.message).toContain("only deliveries");
    expect((await rig.call("POST", `${path}/dismiss`)).body).toEqual({ done: true });
    expect((await rig.call("POST", `${path}/dismiss`)).status).toBe(409);
  });
});
