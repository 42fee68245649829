import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TeamsAdapter } from "../../../adapters/teams/adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import { opensFrom } from "../../fakes/stored-contents.ts";
import type { Post } from "../../fakes/teams/connector-api.ts";
import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import { activityBy, objectIdOf, privateRoomOf } from "../../fakes/teams/sent-activity.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import { MemoryStore } from "../web/memory-store.ts";
import { makeTeamsAdapter } from "./make-teams-adapter.ts";

const CONTENT = Buffer.from("ship,metres\nAnna,12\n");
const ANN: Conversation = { channel: "teams", room: privateRoomOf("ann"), kind: "private" };
let teams: FakeTeams;
let host: WebhookHost;
let adapter: TeamsAdapter;
let contents: Map<string, Uint8Array>;
let blocked: Set<string>;
let offered: Post;

beforeEach(async () => {
  teams = await FakeTeams.start();
  host = await new WebhookHost().open();
  contents = new Map([["file-1", CONTENT]]);
  blocked = new Set();
  adapter = makeTeamsAdapter(teams, {
    store: new MemoryStore(systemClock),
    openFile: opensFrom(contents),
    isBlocked: (id) => blocked.has(id),
  });
  await adapter.start(new TestInbox());
  host.mount(adapter);
  teams.endpoint = host.urlOf("teams", "messages");
  await teams.say({ text: "hello" });
  const ref = { id: "file-1", name: "ships.csv", mediaType: "text/csv", bytes: CONTENT.length };
  const files = [{ ...ref, ref, read: async () => CONTENT }];
  await adapter.deliver(sampleDelivery("r1", ANN, "the ships", { files, anchor: sampleAnchor }));
  offered = (await teams.api.posts.count(1))[0] as Post;
});
afterEach(async () => {
  await adapter.stop();
  await host.close();
  await teams.stop();
});

const shown = () => JSON.stringify(offered.activity);

describe("given a file that a person in Teams is asked to accept (M3)", () => {
  it("when they accept, then the file is uploaded and replaces the card, and text and anchor stay", async () => {
    expect(shown()).toContain('"sizeInBytes":20');
    expect(await teams.consent(offered)).toEqual({ status: 200, bytes: CONTENT });
    expect(shown()).toContain("card.file.info");
    expect(shown()).not.toContain("card.file.consent");
    expect(shown()).toMatch(/the ships.*card\.adaptive/);
    expect(teams.api.posts.items).toHaveLength(1);
  });

  it("when they decline, then the message says so and nothing is uploaded", async () => {
    expect(await teams.consent(offered, "decline")).toEqual({ status: 200, bytes: undefined });
    expect(shown()).toContain("You declined ships.csv.");
  });

  it("when the upload fails, then Teams gets an error, and a second press uploads it", async () => {
    const card = structuredClone(offered);
    expect((await teams.consent(offered, "accept", "ann", `${teams.origin}/nowhere`)).status).toBe(500);
    expect(await teams.consent(card)).toEqual({ status: 200, bytes: CONTENT });
  });

  it("when the address is not on a file server of Teams, then nothing is sent there", async () => {
    const before = teams.requests.length;
    const elsewhere = `http://localhost:${new URL(teams.origin).port}/files/x`;
    expect((await teams.consent(offered, "accept", "ann", elsewhere)).status).toBe(500);
    expect(teams.requests.slice(before).filter((line) => line.startsWith("PUT"))).toEqual([]);
  });

  it("when the file has expired, the person is blocked, or the card is of another chat, then they learn that it is gone", async () => {
    blocked.add(objectIdOf("ann"));
    const card = structuredClone(offered);
    await teams.consent(card);
    expect(shown()).toContain("no longer available");
    blocked.clear();
    contents.clear();
    expect(await teams.consent(card)).toEqual({ status: 200, bytes: undefined });
    expect(shown()).toContain("ships.csv is no longer available");
  });

  it("when another kind of invoke or a malformed answer arrives, then it is refused", async () => {
    const invoke = { ...activityBy(teams, {}, teams.api.nextId()), type: "invoke" };
    expect(await teams.send({ ...invoke, name: "task/fetch" })).toBe(501);
    expect(await teams.send({ ...invoke, name: "fileConsent/invoke", value: { action: "accept" } })).toBe(400);
  });
});
