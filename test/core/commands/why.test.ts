import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { requestId } from "../../../core/contract/messages/delivery-request.ts";
import type { Audience } from "../../../core/contract/messages/work-context.ts";
import type { DeadLetter } from "../../../core/contract/ports/bus.ts";
import { addHeld, noteUndelivered } from "../../../core/delivery/undelivered/index.ts";
import { notePlacement } from "../../../core/origin/index.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { CoreUnderTest } from "../core-under-test.ts";
import { At, linkUp } from "../people/linked-core.ts";

let core: CoreUnderTest;
let ann: At;
let annB: At;
let bob: At;
beforeEach(async () => {
  core = await CoreUnderTest.start(() => "ok");
  ann = new At(core, "web", "ann");
  annB = new At(core, "web-b", "ann-b");
  bob = new At(core, "web", "bob");
  await linkUp(ann, annB);
  await bob.say("hello");
});
afterEach(() => core.dispose());

const NONE = "I found no message here";
const lobby: Conversation = { channel: "web", room: "lobby", kind: "shared" };
const origin = {
  channel: "web",
  promptSummary: "compare tides",
  startedAt: "2026-03-10T20:00:00.000Z",
  sessionId: "s",
};
const audienceOf = async (at: At): Promise<Audience> => (await at.say("hello")).audience;
const replyFor = (id: string, audience: Audience) =>
  ({ ...sampleReply(id, audience.conversation, "high water at six", { audience }), origin }) as const;
type Reply = ReturnType<typeof replyFor>;

const hold = (reply: Reply, target: Conversation) =>
  addHeld(
    core.backbone.store,
    { id: requestId(reply, target), reply, target },
    { now: core.clock.now(), notBefore: core.clock.now() + 3_600_000 },
  );

const fail = (reply: Reply, target: Conversation) => {
  const letter: DeadLetter = {
    subject: "delivery",
    durable: "outbox-web-b",
    id: requestId(reply, target),
    message: {},
    reason: "forbidden: not a member",
    attempts: 1,
    publishedAt: "2026-03-10T20:00:00.000Z",
    deadAt: "2026-03-10T20:01:00.000Z",
  };
  return noteUndelivered(core.backbone.store, { reply, target }, letter);
};

describe("given deliveries that wait or failed (O13)", () => {
  it("when their person asks on any of their channels, then they are listed; to another person they are not", async () => {
    const reply = replyFor("r-1", await audienceOf(ann));
    await hold(reply, annB.conversation);
    await fail(replyFor("r-2", await audienceOf(ann)), annB.conversation);
    for (const at of [ann, annB]) {
      const text = await at.command("why");
      expect(text).toContain("- “compare tides”, for Web-b (private), held until ");
      expect(text).toContain("- “compare tides”, for Web-b (private), not delivered: I am not allowed to write there");
    }
    expect(await bob.command("why")).toContain(NONE);
    expect(await bob.command("why", "r-1")).toContain(NONE);
  });

  it("when the accounts are unlinked meanwhile, then the other account learns nothing of them (D3)", async () => {
    await hold(replyFor("r-1", await audienceOf(ann)), annB.conversation);
    await fail(replyFor("r-2", await audienceOf(ann)), annB.conversation);
    await ann.command("unlink");
    expect(await annB.command("why")).toContain(NONE);
    expect(await ann.command("why")).toContain("not delivered");
  });

  it("when the message began in a room, then others there see what failed in the room, and nothing private (D3)", async () => {
    const inRoom = new At(core, "web", "ann", "shared");
    const room = inRoom.conversation;
    const reply = replyFor("r-1", { ...(await audienceOf(inRoom)), conversation: room });
    await notePlacement(core.backbone.store, reply, lobby, "2026-03-10T20:00:00.000Z");
    await hold(reply, annB.conversation);
    await fail(reply, ann.conversation);
    await fail(reply, room);
    const bobThere = new At(core, "web", "bob", "shared");
    const seen = await bobThere.command("why", "r-1");
    expect(seen).toContain("**Not shown yet:** Web (where it began), not delivered: I am not allowed");
    expect(seen).not.toContain("private");
    const own = await inRoom.command("why", "r-1");
    expect(own).toContain("Web-b (private), held until");
    expect(own).toContain("Web (private), not delivered");
  });

  it("when they wait in threads of a private room, then each is listed once, and none of another room (D3)", async () => {
    const audience = await audienceOf(ann);
    const threads = [undefined, "t1", "t2", "t1"];
    for (const [index, thread] of threads.entries()) {
      await hold(replyFor(`r-${index}`, audience), { ...annB.conversation, ...(thread !== undefined && { thread }) });
    }
    const listed = await ann.command("why");
    expect(listed.match(/for Web-b \(private\), held until /g)).toHaveLength(4);
    await hold(replyFor("r-4", audience), { channel: "web-b", room: "elsewhere", thread: "t1", kind: "private" });
    await hold(replyFor("r-5", audience), { ...lobby, thread: "t1" });
    expect(await ann.command("why")).toBe(listed);
  });

  it("when a failed message was shown after a resend, then it is not listed as missing", async () => {
    const reply = replyFor("r-1", await audienceOf(ann));
    await notePlacement(core.backbone.store, reply, ann.conversation, "2026-03-10T20:00:00.000Z");
    await notePlacement(core.backbone.store, reply, annB.conversation, "2026-03-10T20:05:00.000Z");
    await fail(reply, annB.conversation);
    expect(await ann.command("why", "r-1")).not.toContain("Not shown yet");
  });
});
