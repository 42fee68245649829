import { afterEach, describe, expect, it } from "vitest";
import { readHistory } from "../../core/sessions/session-history.ts";
import { delegates, Held, roles } from "../core/subtasks/delegating.ts";
import type { LinkedProduct } from "./linked-product.ts";
import { isAnswer, lobby, LinkedProduct as Product, privateRoom } from "./linked-product.ts";

let product: LinkedProduct;
let held: Held;
afterEach(() => product.dispose());

const web = privateRoom("web", "ann");
const webB = privateRoom("web-b", "ann");
const bob = privateRoom("web-b", "bob");

/** The second message of a session delegates; the test releases the result. */
const start = async () => {
  held = new Held();
  product = await Product.start(
    roles({
      primary: (asked) => (asked.text.includes("research") ? delegates(["tides"], "on it")(asked) : "fine"),
      subagent: () => held.answer,
      continuation: () => "all about tides",
    }),
  );
  await product.link(["web", "ann"], ["web-b", "ann"]);
  await product.ask(webB, "hello from b");
  await product.ask(bob, "hello", { account: { id: "bob", name: "Bob" } });
  await product.ask(web, "first message");
};
const sessionOf = async (conversation: typeof web) => (await product.ask(conversation, "which?")).reply.sessionId ?? "";

describe("given a linked person whose work began with the second message of a session", () => {
  it("when it ends while they watch another channel, then each channel shows it once, the anchor only there (O2, O8)", async () => {
    await start();
    await product.ask(web, "research the tides");
    held.give("done");
    const there = await product.shown(webB, isAnswer);
    const here = await product.shown(web, isAnswer);
    expect(here.anchor).toBeNull();
    expect(there.anchor).toMatchObject({ channel: "web", summary: "research the tides" });
    expect(there.reply.actions).toEqual([{ name: "why", label: "Why?", value: there.reply.id }]);
    expect(here.reply.actions).toBeUndefined();
    expect(product.answers(web)).toHaveLength(1);
    expect(product.answers(webB)).toHaveLength(1);
    expect(product.answers(bob)).toEqual([]);
  });

  it("when the product restarts meanwhile, then the outcome is the same, and both sessions contain it (O2, O15)", async () => {
    await start();
    await product.ask(web, "research the tides");
    await product.restart();
    held.give("done");
    await product.shown(webB, isAnswer);
    await product.shown(web, isAnswer);
    const local = await sessionOf(webB);
    const said = async () =>
      (await readHistory(product.backbone.store, local, 0)).filter(({ kind }) => kind === "said");
    await expect
      .poll(said)
      .toMatchObject([
        { markdown: "all about tides", origin: { channel: "web", promptSummary: "research the tides" } },
      ]);
    const origin = await readHistory(product.backbone.store, await sessionOf(web), 0);
    expect(origin.map((entry) => (entry.kind === "turn" ? entry.finalText : entry.kind))).toContain("all about tides");
    expect(product.answers(webB)).toHaveLength(1);
  });

  it("when they began a new session meanwhile, then the conversation of the request shows the anchor too (O8)", async () => {
    await start();
    await product.ask(web, "research the tides");
    await product.command(web, "new");
    held.give("done");
    expect((await product.shown(web, isAnswer)).anchor).toMatchObject({ summary: "research the tides" });
    expect((await product.shown(webB, isAnswer)).anchor).not.toBeNull();
  });

  it("when they answer it there, then that turn can read the conversation where the work began (O14)", async () => {
    await start();
    await product.ask(web, "research the tides");
    held.give("done");
    const { id } = await product.shown(webB, isAnswer);
    const reply = await product.ask(webB, "and at noon?", { replyTo: id });
    const system = product.model.requests.items.at(-1)?.system ?? "";
    expect(system).toContain("research the tides");
    expect(system).toContain("all about tides");
    // The account may have been linked after that message.
    expect(system).not.toContain("first message");
    expect(reply.reply.audience.conversation).toEqual(webB);
    const stranger = { account: { id: "bob", name: "Bob" }, replyTo: id };
    await product.ask(bob, "and at noon?", stranger);
    expect(product.model.requests.items.at(-1)?.system).not.toContain("research the tides");
  });
});

describe("given a proactive message, and a person who asks why it came (O13)", () => {
  const explained = async (conversation = webB, args = "", more = {}) =>
    (await product.command(conversation, "why", args, more)).part.markdown;
  const begin = async () => {
    await start();
    await product.ask(web, "please research the tides\nfor **me**");
    held.give("done");
    await product.shown(web, isAnswer);
    return product.shown(webB, isAnswer);
  };
  const settled = async () => {
    await expect.poll(() => explained()).toContain("Web-b (private)");
    await expect.poll(() => explained()).toContain("Web (where it began)");
  };

  it("when they ask, then the answer has the request, the trigger, the work and where it was shown", async () => {
    const { id, reply } = await begin();
    await settled();
    const text = await explained();
    expect(text).toMatch(/^\*\*What was asked:\*\* “please research the tides for \*\*me\*\*”, asked by Ann in Web, /);
    expect(text).toContain("**Why now:** all delegated work had finished.");
    expect(text).toContain("- tides: completed");
    expect(await explained(webB, "", { replyTo: id })).toBe(text);
    expect(await explained(webB, reply.id)).toBe(text);
    expect(await explained(webB, id)).toBe(text);
    expect(await explained(web, reply.id)).toBe(text);
    await product.ask(web, "thank you");
    expect(await explained(web)).toBe(text);
  });

  it("when a stranger asks for it by its id, then the answer is the same as for an unknown id", async () => {
    const { reply } = await begin();
    const stranger = { account: { id: "bob", name: "Bob" } };
    const text = await explained(bob, reply.id, stranger);
    expect(text).toContain("I found no message here");
    expect(await explained(bob, "nonsense", stranger)).toBe(text);
    expect(await explained(bob, "x".repeat(5_000), stranger)).toBe(text);
    expect(await explained(bob, "", stranger)).toBe(text);
  });

  it("when it began in a room, then the answer to others there omits the asker's private conversations", async () => {
    await start();
    const room = lobby("web");
    await product.ask(room, "research the tides");
    held.give("done");
    const { id } = await product.shown(room, isAnswer);
    await product.shown(webB, isAnswer);
    const caller = { account: { id: "carol", name: "Carol" }, replyTo: id };
    await product.ask(privateRoom("web", "carol"), "hi", { account: caller.account });
    await product.say(room, "", { command: { name: "why", args: "" }, ...caller });
    const notice = await product.shown(privateRoom("web", "carol"), ({ reply }) => reply.kind === "notice");
    expect(notice.part.markdown).toContain("Web (where it began)");
    expect(notice.part.markdown).not.toContain("private");
    const inRoom = product.channels.web.deliveries.items.filter(({ target }) => target.room === "lobby");
    expect(inRoom.map(({ reply }) => reply.kind)).not.toContain("notice");
  });
});
