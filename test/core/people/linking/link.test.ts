import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noteEdit } from "../../../../core/intake/resolve-turn.ts";
import { confirmLink } from "../../../../core/people/linking/link-protocol.ts";
import { linkIdOf, linkKey, readCode } from "../../../../core/people/linking/link-record.ts";
import { findPerson } from "../../../../core/people/person-record.ts";
import { CoreUnderTest, userMessage } from "../../core-under-test.ts";
import { At, linkIdIn, linkUp } from "../linked-core.ts";

const MINUTE_MS = 60_000;
let core: CoreUnderTest;
let ann: At;
let annB: At;
beforeEach(async () => {
  core = await CoreUnderTest.start(() => "ok");
  ann = new At(core, "web", "ann");
  annB = new At(core, "web-b", "ann-b");
});
afterEach(() => core.dispose());

const personAt = async (channel: string, accountId: string) =>
  (await findPerson(core.backbone.store, { tenant: "default", channel, accountId })).person;
/** How often a conversation shows that the link is complete. */
const linkedNotices = (side: At): number =>
  core.replies.items.filter(
    ({ audience, markdown }) =>
      audience.conversation.room === side.conversation.room && markdown.startsWith("Linked with"),
  ).length;
const areLinked = async () => (await personAt("web", "ann")).id === (await personAt("web-b", "ann-b")).id;

describe("given a person with accounts on two channels (I1)", () => {
  it("when a code of one is entered in the other and both confirm, then they are one person", async () => {
    const asked = await annB.command("link", await ann.code());
    expect(asked).toContain("“ann” on web");
    const [question] = await ann.unsolicited();
    expect(question).toMatchObject({
      kind: "notice",
      origin: null,
      markdown: expect.stringContaining("“ann-b” on web-b"),
    });
    expect(question?.actions?.map(({ name, value }) => `${name} ${value}`)).toEqual([
      `link confirm ${linkIdIn(asked)}`,
      `link refuse ${linkIdIn(asked)}`,
    ]);
    expect(await annB.command("link", `confirm ${linkIdIn(asked)}`)).toContain("confirm as “ann” on web");
    expect(await areLinked()).toBe(false);
    expect(await ann.command("link", `confirm ${linkIdIn(asked)}`)).toContain("Linked with “ann-b” on web-b");
    expect((await annB.unsolicited()).at(-1)?.markdown).toContain("Linked with “ann” on web");
    expect(await areLinked()).toBe(true);
    const person = await personAt("web", "ann");
    expect(person.surfaces.map(({ conversation }) => conversation)).toEqual([ann.conversation, annB.conversation]);
  });

  it("when they are linked, then messages of both have the same asker until one of them unlinks", async () => {
    await linkUp(ann, annB);
    const [one, other] = [await ann.say("hello"), await annB.say("hello")];
    expect(one.audience.personId).toBe(other.audience.personId);
    expect(await ann.command("unlink")).toContain("no longer linked with “ann-b” on web-b");
    expect((await annB.unsolicited()).at(-1)?.markdown).toContain("“ann” on web is no longer linked");
    expect((await ann.say("hello")).audience.personId).not.toBe((await annB.say("hello")).audience.personId);
    expect(await ann.command("unlink")).toBe("This account is not linked with another one.");
  });

  it("when one unlinks the other by its channel, then the other is unlinked and notified", async () => {
    await linkUp(ann, annB);
    expect(await ann.command("unlink", "slack")).toContain("no linked account");
    expect(await ann.command("unlink", "web-b")).toContain("“ann-b” on web-b is no longer linked with “ann” on web");
    expect((await annB.unsolicited()).at(-1)?.markdown).toContain("no longer linked with “ann” on web");
    expect(await areLinked()).toBe(false);
  });

  it("when a third account is linked, then it joins the two; two linked pairs cannot be merged", async () => {
    await linkUp(ann, annB);
    const annC = new At(core, "web-c", "ann-c");
    await linkUp(annC, annB);
    expect((await personAt("web-c", "ann-c")).accounts).toHaveLength(3);
    const [bob, bobB] = [new At(core, "web", "bob"), new At(core, "web-b", "bob-b")];
    await linkUp(bob, bobB);
    expect(await annC.command("link", await bob.code())).toContain("Both accounts are already linked with others");
    expect((await personAt("web", "bob")).accounts).toHaveLength(2);
  });
});

describe("given invalid or hostile attempts to link (I1)", () => {
  it("when only one side confirms, or a stranger does, then nothing is linked", async () => {
    const linkId = linkIdIn(await annB.command("link", await ann.code()));
    const eve = new At(core, "web", "eve");
    await annB.command("link", `confirm ${linkId}`);
    expect(await eve.command("link", `confirm ${linkId}`)).toContain("don't know");
    expect(await areLinked()).toBe(false);
  });

  it("when one side refuses, then the other is notified, and a late confirmation changes nothing", async () => {
    const linkId = linkIdIn(await annB.command("link", await ann.code()));
    await annB.command("link", `confirm ${linkId}`);
    expect(await ann.command("link", `refuse ${linkId}`)).toContain("I did not link");
    expect((await annB.unsolicited()).at(-1)?.markdown).toContain("refused");
    expect(await ann.command("link", `confirm ${linkId}`)).toContain("no longer works");
    expect(await areLinked()).toBe(false);
  });

  it("when codes are guessed, then they are unknown, and after five tries the account is rate-limited", async () => {
    const code = await ann.code();
    for (let index = 0; index < 5; index++) {
      expect(await annB.command("link", "22222-22222")).toContain("don't know this code");
    }
    expect(await annB.command("link", code)).toContain("a lot of tries");
    core.clock.advance(11 * MINUTE_MS);
    expect(await annB.command("link", code)).toContain("expired");
  });

  it("when many codes are requested, then the account is rate-limited and only the newest code works", async () => {
    const codes: string[] = [];
    for (let index = 0; index < 5; index++) codes.push(await ann.code());
    expect(new Set(codes).size).toBe(5);
    expect(await ann.command("link")).toContain("a lot of tries");
    expect(await annB.command("link", codes[3])).toContain("no longer works");
    expect(await annB.command("link", codes[4])).toContain("Is that you?");
  });

  it("when a second account enters a used code, then only the first one can continue", async () => {
    const code = await ann.code();
    const eve = new At(core, "web-b", "eve");
    expect(await annB.command("link", code)).toContain("Is that you?");
    expect(await eve.command("link", code)).toContain("already used");
    expect(await annB.command("link", code)).toContain("Is that you?");
  });

  it("when a link is complete, then its code and its confirmation no longer work", async () => {
    const code = await ann.code();
    const linkId = linkIdIn(await annB.command("link", code));
    await annB.command("link", `confirm ${linkId}`);
    await ann.command("link", `confirm ${linkId}`);
    expect(await annB.command("link", code)).toContain("already used");
    await annB.command("unlink");
    expect(await annB.command("link", `confirm ${linkId}`)).toContain("no longer works");
    expect(await areLinked()).toBe(false);
  });

  it("when a side confirms after ten minutes, then the link has expired", async () => {
    const linkId = linkIdIn(await annB.command("link", await ann.code()));
    core.clock.advance(9 * MINUTE_MS);
    await annB.command("link", `confirm ${linkId}`);
    core.clock.advance(MINUTE_MS);
    expect(await ann.command("link", `confirm ${linkId}`)).toContain("expired");
    expect(await areLinked()).toBe(false);
  });

  it("when a code is entered on its own channel, then the answer says what to do instead", async () => {
    const code = await ann.code();
    expect(await ann.command("link", code)).toContain("another channel");
    expect(await new At(core, "web", "bob").command("link", code)).toContain("another channel");
    expect(await annB.command("link", "hello")).toContain("A code looks like");
  });

  it.each([
    ["as a command", (room: At, code: string) => room.command("link", code)],
    ["in the middle of a sentence", (room: At, code: string) => room.say(`is it ${code.toLowerCase()}, perhaps?`)],
    [
      "by an edit",
      (room: At, code: string) =>
        noteEdit(
          core.backbone.store,
          userMessage("m", `it is ${code}`, { kind: "edit", conversation: room.conversation }),
        ),
    ],
  ])("when a code is shown in a shared room %s, then it is void", async (_, show) => {
    const code = await ann.code();
    const room = new At(core, "web-c", "ann-c", "shared");
    await show(room, code);
    expect(await annB.command("link", code)).toContain("no longer works");
  });

  it("when a person links or unlinks in a shared room, then only they see that this works in private only", async () => {
    const room = new At(core, "web-b", "ann-b", "shared");
    for (const name of ["link", "unlink"]) {
      const answer = await room.say(`/${name}`, { command: { name, args: "" } });
      expect(answer).toMatchObject({ onlyFor: "ann-b", markdown: expect.stringContaining("direct message") });
    }
  });

  it("when two sides confirm at the same time, then they are linked once", async () => {
    const linkId = linkIdIn(await annB.command("link", await ann.code()));
    const answers = await Promise.all([ann, annB].map((side) => side.command("link", `confirm ${linkId}`)));
    expect(answers.some((answer) => answer.includes("Linked with"))).toBe(true);
    expect(await areLinked()).toBe(true);
    expect((await personAt("web", "ann")).accounts).toHaveLength(2);
    expect([linkedNotices(ann), linkedNotices(annB)]).toEqual([1, 1]);
  });

  it("when both press the button twice, then each sees once that they are linked", async () => {
    const linkId = linkIdIn(await annB.command("link", await ann.code()));
    const presses = [ann, annB, ann, annB].map((side) => side.command("link", `confirm ${linkId}`));
    await Promise.all(presses);
    expect(await ann.command("link", `confirm ${linkId}`)).toBe("These two accounts are already linked.");
    expect([linkedNotices(ann), linkedNotices(annB)]).toEqual([1, 1]);
  });

  it("when the second confirmation runs again after a crash, then it still completes the link, so its notification is repeated", async () => {
    const linkId = linkIdIn(await annB.command("link", await ann.code()));
    await annB.command("link", `confirm ${linkId}`);
    const confirmation = (id: string) =>
      confirmLink(
        core.backbone.store,
        userMessage(id, "", { account: { id: "ann", name: "ann" }, conversation: ann.conversation }),
        linkId,
        core.clock.now(),
      );
    expect(await confirmation("m-confirm")).toMatchObject({ isLinked: true });
    expect(await confirmation("m-confirm")).toMatchObject({ isLinked: true });
    expect(await confirmation("m-later")).toBe("linked");
  });

  it("then the code is not stored in plain text", async () => {
    const code = await ann.code();
    const stored = await core.backbone.store.get(linkKey("default", linkIdOf("default", readCode(code) ?? "")));
    expect(stored).toBeDefined();
    expect(JSON.stringify(stored)).not.toContain(code.slice(0, 5));
  });

  it("when a name contains markup or other text, then it is shown without markup and punctuation", async () => {
    const eve = new At(core, "web-b", "**Ann** on slack `x`\nIs that you");
    expect(await eve.command("link", await ann.code())).toContain("Is that you?");
    expect((await ann.unsolicited())[0]?.markdown).toMatch(/^\*\*“Ann on slack x Is that you” on web-b\*\*/);
  });
});
