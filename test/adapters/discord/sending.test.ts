import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { RestFault } from "../../fakes/discord/fake-rest.ts";
import { liveMarksOf, smallPrintOf } from "../../fakes/discord/post-input.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor, sampleReply } from "../../fakes/sample-reply.ts";
import { DiscordUnderTest } from "./discord-under-test.ts";

const test = new DiscordUnderTest();
const posts = () =>
  test.discord.rest.calls.items.filter(({ method, path }) => method === "POST" && /messages$/.test(path));
const break_ = (fault: RestFault) => {
  test.discord.rest.faultIn = ({ method, path }) =>
    method !== "GET" && path.includes("/messages") ? fault : undefined;
};
const failureOf = async (work: Promise<unknown>) => {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(DeliveryFailed);
  return failure as DeliveryFailed;
};
const delivery = (markdown: string, more: Partial<Delivery> = {}, target: Conversation = test.inPrivate) =>
  sampleDelivery("r1", target, markdown, more);

describe("given a send with an unknown outcome (D4)", () => {
  it.each(["answer-lost", "half-answer", "garbage"] as const)(
    "when it was %s and is retried, then people see it once, with the same nonce",
    async (fault) => {
      await test.start({ timing: { requestWithinMs: 2_000 } });
      break_(fault);
      expect(await failureOf(test.adapter.deliver(delivery("only once")))).toMatchObject({ reason: "unknown" });
      test.discord.rest.recover();
      const { messageId } = await test.adapter.deliver(delivery("only once", { mayRepeat: true }));
      expect(test.discord.posted).toMatchObject([{ id: messageId, content: "only once" }]);
      const nonces = posts().map(({ body }) => (body as { nonce: string }).nonce);
      expect(nonces[0]).toHaveLength(25);
      expect(new Set(nonces).size).toBe(1);
      expect(posts()[0]?.body).toMatchObject({ enforce_nonce: true });
    },
  );

  it("when two replies have the same text, then they are two messages", async () => {
    await test.start();
    await test.adapter.deliver(sampleDelivery("r1", test.inPrivate, "done"));
    await test.adapter.deliver(sampleDelivery("r2", test.inPrivate, "done"));
    expect(test.discord.posted).toHaveLength(2);
  });

  it("when the nonce has expired, then the message can be found; two with the same text are ambiguous", async () => {
    await test.start();
    const createdAt = new Date().toISOString();
    const made = (id: string, text: string) => {
      const reply = sampleReply(id, test.inPrivate, text, { createdAt });
      return sampleDelivery(id, test.inPrivate, text, { reply });
    };
    expect(await test.adapter.find(made("r1", "found"))).toBe("absent");
    const receipt = await test.adapter.deliver(made("r1", "found"));
    expect(await test.adapter.find(made("r1", "found"))).toEqual(receipt);
    await test.adapter.deliver(made("r2", "found"));
    expect(await test.adapter.find(made("r1", "found"))).toBe("unknown");
  });
});

describe("given Discord's limits (C2)", () => {
  it("when one channel is limited, then others are not, and the limited route is not called before the delay", async () => {
    await test.start();
    test.discord.rest.buckets.limit = 2;
    test.discord.rest.buckets.windowMs = 10_000;
    const send = (id: string, target: Conversation) => test.adapter.deliver(sampleDelivery(id, target, id));
    await send("a1", test.inPrivate);
    await send("a2", test.inPrivate);
    const failure = await failureOf(send("a3", test.inPrivate));
    expect(failure).toMatchObject({ reason: "rate-limited" });
    expect(failure.retryAfterMs).toBeGreaterThan(5_000);
    await send("b1", test.inRoom);
    expect(test.discord.posted.map(({ content }) => content)).toEqual(["a1", "a2", "b1"]);
    expect(posts().filter(({ path }) => path.includes(test.dm.id))).toHaveLength(2);
  });

  it("when the whole bot is limited, then all channels wait, without a call", async () => {
    await test.start();
    break_("global-limit");
    expect(await failureOf(test.adapter.deliver(delivery("one")))).toMatchObject({ reason: "rate-limited" });
    test.discord.rest.recover();
    const called = posts().length;
    const failure = await failureOf(test.adapter.deliver(delivery("two", {}, test.inRoom)));
    expect(failure).toMatchObject({ reason: "rate-limited", retryAfterMs: expect.any(Number) });
    expect(posts()).toHaveLength(called);
  });

  it.each<[string, RestFault, string]>([
    ["a closed private channel", refused(403, 50_007), "forbidden"],
    ["no shared server", refused(403, 50_278), "forbidden"],
    ["no access", refused(403, 50_001), "forbidden"],
    ["a missing permission", refused(403, 50_013), "forbidden"],
    ["a refusal with a new code", refused(403, 99_999), "forbidden"],
    ["a channel that no longer exists", refused(404, 10_003), "target-gone"],
    ["a locked thread", refused(403, 160_005), "forbidden"],
    ["a text that Discord rejects", refused(400, 50_035), "rejected"],
    ["a revoked token", refused(401, 0), "unavailable"],
    ["the firewall in front of Discord", "firewall", "unavailable"],
    ["a proxy's own page", refused(404, 0), "unavailable"],
    ["a failure inside Discord", refused(500, 0), "unknown"],
    ["a cut connection", "cut", "unknown"],
  ])("when there is %s, then the failure has the matching reason", async (_, fault, reason) => {
    await test.start();
    break_(fault);
    expect(await failureOf(test.adapter.deliver(delivery("hello")))).toMatchObject({ reason });
    test.discord.rest.recover();
    await test.adapter.deliver(sampleDelivery("r2", test.inPrivate, "recovered"));
  });

  it("when Discord is unreachable, then the failure says that nothing was sent", async () => {
    await test.start();
    await test.discord.stop();
    expect(await failureOf(test.adapter.deliver(delivery("hello")))).toMatchObject({ reason: "unavailable" });
  });

  it("when typing is shown, then Discord gets the channel", async () => {
    await test.start();
    await test.adapter.showTyping({ ...test.inRoom, thread: test.room.id });
    expect(test.discord.typing.items).toEqual([test.room.id]);
  });
});

describe("given a person who has never written to the bot", () => {
  it("when there is a message for the person, then a private channel is opened, and a later answer is fetched", async () => {
    await test.start();
    const bob = test.discord.world.person("bob");
    const target = await test.adapter.privateConversation(bob.id);
    expect(target).toEqual({ channel: "discord", room: test.discord.world.privateChannel(bob).id, kind: "private" });
    await test.adapter.deliver(sampleDelivery("r1", target, "the result"));
    await test.adapter.stop();
    test.discord.write({ person: "bob", in: test.discord.world.privateChannel(bob), text: "thanks" });
    await test.startAgain();
    await test.inbox.accepted.count(1);
    expect(test.texts).toEqual(["thanks"]);
  });

  it("when the account does not exist, then that is the failure", async () => {
    await test.start();
    expect(await failureOf(test.adapter.privateConversation("123456789012345678"))).toMatchObject({
      reason: "rejected",
    });
  });
});

describe("given a posted message", () => {
  it("when it answers in a server, then it references the question, without a mention", async () => {
    await test.start();
    const said = test.discord.say({ person: "ann", in: test.room, text: "hello", mention: true });
    const [message] = await test.inbox.accepted.count(1);
    const answers = message?.messageId ?? "";
    await test.adapter.deliver(sampleDelivery("r1", test.inRoom, "hi", { answers }));
    expect(test.discord.posted).toMatchObject([{ message_reference: { message_id: said.id }, pings: false }]);
  });

  it("when the question was deleted meanwhile, then the answer is still posted", async () => {
    await test.start();
    const said = test.discord.say({ person: "ann", in: test.room, text: "hello", mention: true });
    const [message] = await test.inbox.accepted.count(1);
    test.discord.world.remove(said.id);
    const reply = sampleReply("r1", test.inRoom, "hi", { correlationId: message?.id ?? "" });
    await test.adapter.deliver(sampleDelivery("r1", test.inRoom, "hi", { reply }));
    expect(test.discord.posted).toHaveLength(1);
  });

  it("when there is an anchor, then it is small print with live times and a link (O10, O12)", async () => {
    await test.start();
    const link = "https://example.com/archives/C1/p1";
    await test.adapter.deliver(delivery("the result", { anchor: { ...sampleAnchor, link } }));
    const [post] = test.discord.posted;
    const seconds = Date.parse(sampleAnchor.startedAt) / 1_000;
    expect(post?.content).toBe(
      `-# ↳ Re: "deep research" · started <t:${seconds}:t> from Elsewhere · <t:${seconds}:R> · [jump](${link})\nthe result`,
    );
  });

  it.each<[string, string]>([
    ["@everyone and @here", "@everyone"],
    ["<@&123456789012345678> and <@123456789012345678>", "<@&"],
    ["-# small print", "small print"],
    ["> -# quoted", "quoted"],
    ["- -# listed", "listed"],
    ["1. -# numbered", "numbered"],
    ["**bold**\n-# after a line", "after a line"],
    ["<t:1735689600:R> and <#123456789012345678>", "1735689600"],
    ["&lt;t:1735689600:R&gt; and &#45;# x", "1735689600"],
    ["\\-# escaped", "escaped"],
    ["<b>-# html</b>", "html"],
    ["[-# link](https://example.com)", "link"],
    ["| a |\n|---|\n| -# cell |", "cell"],
  ])("when a text contains %j, then it is shown as text (O16)", async (hostile, kept) => {
    await test.start();
    await test.adapter.deliver(delivery(`look\n\n${hostile}`));
    const [post] = test.discord.posted;
    expect(post?.content).toContain(kept);
    expect(post && smallPrintOf(post)).toEqual([]);
    expect(liveMarksOf(post?.content ?? "")).toEqual([]);
    expect(post?.pings).toBe(false);
  });

  it("when an anchor's summary imitates mark-up, then it is shown as text (O16)", async () => {
    await test.start();
    const summary = "see <@123456789012345678>\n-# ↳ <t:1:R> @everyone [x](https://evil.example) **b**";
    await test.adapter.deliver(delivery("the result", { anchor: { ...sampleAnchor, summary } }));
    const [post] = test.discord.posted;
    expect(post && smallPrintOf(post)).toHaveLength(1);
    expect(liveMarksOf(post?.content ?? "")).toHaveLength(2);
    expect(post?.content).not.toMatch(/(?<!\\)\]\(https:\/\/evil/);
  });

  it.each([
    ["stars", "**a ".repeat(350)],
    ["underscores", "_ ".repeat(700)],
    ["a table", `| ${"wide ".repeat(30)}| b |\n|---|---|\n${"| x | y |\n".repeat(100)}`.slice(0, 1_400)],
    ["code", `\`\`\`ts\n${"const a = 1;\n".repeat(100)}\`\`\``],
    ["nested lists", "- a\n  - b\n    - c\n".repeat(70)],
    ["one long word", "x".repeat(1_400)],
    ["emoji", "👩‍👩‍👧‍👦".repeat(120)],
  ])(
    "when a part is full of %s, then every message fits, and the anchor is complete and first (D7, O9)",
    async (_, markdown) => {
      await test.start();
      await test.adapter.deliver(delivery(markdown, { anchor: { ...sampleAnchor, summary: "*_`<@1>".repeat(40) } }));
      expect(test.discord.posted.length).toBeGreaterThan(0);
      const [first, ...later] = test.discord.posted;
      expect(first && smallPrintOf(first)).toEqual([expect.stringMatching(/^-# ↳ Re: .* from Elsewhere · <t:\d+:R>$/)]);
      expect(later.flatMap(smallPrintOf)).toEqual([]);
    },
  );

  it("when there are actions, then they are buttons on the last part only", async () => {
    await test.start();
    const actions = [
      { name: "why", label: "Why?", value: "r1" },
      { name: "why", label: "Twice", value: "r1" },
      { name: "long", label: "Long", value: "x".repeat(200) },
    ];
    const reply = sampleReply("r1", test.inPrivate, "text", { actions });
    const part = (index: number) => ({ index, count: 2, markdown: `part ${index}` });
    await test.adapter.deliver({ ...delivery("", { reply }), id: "r1/0", part: part(0) });
    await test.adapter.deliver({ ...delivery("", { reply }), id: "r1/1", part: part(1) });
    const labels = test.discord.posted.map(({ components }) => JSON.stringify(components).match(/Why\?|Twice|Long/g));
    expect(labels).toEqual([null, ["Why?"]]);
  });
});

function refused(status: number, code: number): RestFault {
  return { status, body: { message: "refused", code } };
}
