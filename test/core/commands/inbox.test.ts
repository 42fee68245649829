import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Audience } from "../../../core/contract/messages/work-context.ts";
import { type DeadLetter, deadLetterKey } from "../../../core/contract/ports/bus.ts";
import { settleUndelivered } from "../../../core/delivery/undelivered/settle-undelivered.ts";
import { noteUndelivered } from "../../../core/delivery/undelivered/undelivered.ts";
import { accountKey, personKey } from "../../../core/people/person-record.ts";
import { Recorder } from "../../fakes/recorder.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { undeliveredOnChannel } from "../../fakes/undelivered-on-channel.ts";
import { AGENT, CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
const sentAgain = new Recorder<string>();
beforeEach(async () => {
  core = await CoreUnderTest.start(() => "hello");
  await core.backbone.bus.consume(
    subjectsOf("default").delivery("web"),
    { durable: "spy", concurrency: 1 },
    async ({ id, byHand }) => {
      sentAgain.add(`${id} ${byHand}`);
      return { ack: true };
    },
  );
});
afterEach(() => core.dispose());

const { conversation } = userMessage("", "");
const annsAudience: Audience = { conversation, personId: "p-1", accountId: "ann" };
const bob: MessageFields = { account: { id: "bob", name: "Bob" } };

/** Stores a dead-lettered delivery as the relay does. */
const deadLetter = async (n: number, reason: string, audience = annsAudience): Promise<void> => {
  const request = {
    id: `r${n}/${conversationKey(conversation)}`,
    reply: sampleReply(`r${n}`, conversation, `answer ${n}`, { audience }),
    target: conversation,
  };
  const letter: DeadLetter = {
    subject: "delivery",
    durable: "outbox-web",
    id: request.id,
    message: request,
    reason,
    attempts: 1,
    publishedAt: `2026-03-10T20:0${n}:00.000Z`,
    deadAt: `2026-03-10T21:0${n}:05.000Z`,
  };
  await core.backbone.store.put(deadLetterKey(letter.durable, letter.id), letter);
  await noteUndelivered(core.backbone.store, request, letter);
};
let asked = 0;
const inbox = (args = "", more: MessageFields = {}): Promise<AgentReply> =>
  core.ask(`m-${++asked}`, "", { command: { name: "inbox", args }, ...more });
const buttonOf = ({ actions = [] }: AgentReply, label: string): string =>
  actions.find((action) => action.label === label)?.value ?? "";
const left = async () => (await undeliveredOnChannel(core.backbone.store, "web")).length;

describe("given dead-lettered deliveries (D6)", () => {
  it("when the asker opens the inbox, then it lists them newest first, each with its reason, page by page", async () => {
    await deadLetter(1, "target-gone: the room no longer exists");
    await deadLetter(2, "unknown: an attempt was cut off");
    await deadLetter(3, "unavailable: down (after 50 attempts)");
    await deadLetter(4, "forbidden: not a member");
    const first = await inbox();
    expect(first.markdown.split("\n")).toEqual([
      "These messages may not have reached you:",
      "1. “answer 4”, for your private conversation on Web, 10 min ago: I am not allowed to write there (not a member)",
      "2. “answer 3”, for your private conversation on Web, 11 min ago: the platform could not be reached (down (after 50 attempts))",
      "3. “answer 2”, for your private conversation on Web, 12 min ago: it may or may not have arrived (an attempt was cut off)",
    ]);
    const second = await inbox(buttonOf(first, "Show more"));
    expect(second.markdown).toContain("1. “answer 1”");
    expect(second.markdown).toContain("the conversation no longer exists (the room no longer exists)");
    expect(second.actions).toHaveLength(3);
  });

  it("when the asker reads one, then they see its whole text", async () => {
    await deadLetter(1, "target-gone: gone");
    const reply = await inbox(buttonOf(await inbox(), "Read 1"));
    expect(reply.markdown).toBe("For your private conversation on Web. About “deep research”.\n\nanswer 1");
  });

  it("when the asker resends one twice, then it is sent once", async () => {
    await deadLetter(1, "unknown: cut off");
    const button = buttonOf(await inbox(), "Send 1 again");
    expect((await inbox(button)).markdown).toBe("I am sending it again, to your private conversation on Web.");
    expect((await inbox(button)).markdown).toContain("no longer in your inbox");
    expect(await sentAgain.count(1)).toEqual([`r1/${conversationKey(conversation)} true`]);
    expect((await inbox()).markdown).toBe("Your inbox is empty: everything reached you.");
    expect(await left()).toBe(0);
  });

  it("when the asker dismisses one, then the entry and its dead letter are deleted", async () => {
    await deadLetter(1, "rejected: too odd");
    expect((await inbox(buttonOf(await inbox(), "Dismiss 1"))).markdown).toBe("Dismissed.");
    expect(await left()).toBe(0);
    const key = deadLetterKey("outbox-web", `r1/${conversationKey(conversation)}`);
    expect(await core.backbone.store.get(key)).toBeUndefined();
  });

  it("when another person tries, then they see nothing and change nothing", async () => {
    await deadLetter(1, "rejected: too odd");
    const own = await inbox();
    expect((await inbox("", bob)).markdown).toBe("Your inbox is empty: everything reached you.");
    for (const label of ["Read 1", "Send 1 again", "Dismiss 1"]) {
      expect((await inbox(buttonOf(own, label), bob)).markdown).toContain("no longer in your inbox");
    }
    expect(await left()).toBe(1);
  });

  it("when the asker links another account, then that account sees only work that began later (D3)", async () => {
    const own = { channel: "web-b", room: "annsAudience", kind: "private" } as const;
    const since = "2026-03-10T20:00:00.000Z";
    const person = {
      id: "p-1",
      tenant: "default",
      membership: 1,
      accounts: [
        { channel: "web", accountId: "ann", name: "Ann", since, joined: 0 },
        { channel: "web-b", accountId: "ann-b", name: "Ann", since, joined: 1 },
      ],
      surfaces: [{ conversation: own, channel: "web-b", accountId: "ann-b", agent: AGENT, since }],
    };
    const { store } = core.backbone;
    await store.put(personKey("default", "p-1"), person);
    for (const { channel, accountId } of person.accounts) {
      await store.put(accountKey({ tenant: "default", channel, accountId }), { personId: "p-1" });
    }
    await deadLetter(1, "rejected: before", { ...annsAudience, membership: 0 });
    await deadLetter(2, "rejected: after", { ...annsAudience, membership: 1 });
    const { markdown } = await inbox("", { conversation: own, account: { id: "ann-b", name: "Ann" } });
    expect(markdown).toContain("answer 2");
    expect(markdown).not.toContain("answer 1");
  });

  it("when two requests resend it at the same time, then one of them does", async () => {
    await deadLetter(1, "unknown: cut off");
    const [entry] = await undeliveredOnChannel(core.backbone.store, "web");
    if (entry === undefined) throw new Error("no entry");
    const deps = { ...core.backbone, clock: core.clock };
    const both = ["operator-1", "operator-2"].map((by) => settleUndelivered(deps, entry, "send-again", by));
    expect((await Promise.all(both)).sort()).toEqual(["done", "taken"]);
  });

  it("when the arguments are invalid, then it explains its use", async () => {
    expect((await inbox("../../x")).markdown).toBe(
      "`/inbox` lists your messages; use its buttons to read, resend or dismiss one.",
    );
    expect((await inbox("read ../../x")).markdown).toContain("no longer in your inbox");
  });
});
