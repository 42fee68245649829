import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPerson, resolvedAsker } from "../../../../core/people/index.ts";
import { areDevices } from "../../../../core/people/linking/index.ts";
import { sideOf } from "../../../../core/people/linking/link-record.ts";
import { wordsOf } from "../../../../core/people/linking/link-words.ts";
import { CoreUnderTest, userMessage } from "../../core-under-test.ts";
import { At, linkIdIn, linkUp } from "../linked-core.ts";

const MINUTE_MS = 60_000;
let core: CoreUnderTest;
beforeEach(async () => {
  core = await CoreUnderTest.start(() => "ok");
});
afterEach(() => core.dispose());

const browser = (id: string, device: string, channel = "web") =>
  new At(core, channel, id, "private", { name: "Visitor", anonymous: true, device });
const signed = (id: string) => new At(core, "web", id);
const personOf = async (accountId: string) =>
  (await findPerson(core.backbone.store, { tenant: "default", channel: "web", accountId })).person;
const wordsIn = (markdown = "") => /two words: \*\*([a-z]+ [a-z]+)\*\*/.exec(markdown)?.[1];

describe("given two browsers of one web channel, without a signed identity (I1)", () => {
  let laptop: At;
  let phone: At;
  beforeEach(() => {
    laptop = browser("v1", "Chrome on Linux");
    phone = browser("v2", "Safari on iPhone");
  });

  it("when one enters the code of the other, then both see the other's device and the same words, and are linked once both confirm", async () => {
    const offered = await laptop.command("link");
    expect(offered).toContain("On another channel, or in another browser");
    const code = /`([0-9A-Z]{5}-[0-9A-Z]{5})`/.exec(offered)?.[1];
    const asked = await phone.command("link", code);
    expect(asked).toContain("“Visitor” on web (Chrome on Linux)** asked for this code");
    const [question] = await laptop.unsolicited();
    expect(question?.markdown).toContain("“Visitor” on web (Safari on iPhone)** has entered your code");
    expect(wordsIn(asked)).toBeDefined();
    expect(wordsIn(question?.markdown)).toBe(wordsIn(asked));
    expect(question?.actions?.map(({ label }) => label)).toEqual(["Link accounts", "Refuse"]);

    const linkId = linkIdIn(asked);
    await phone.command("link", `confirm ${linkId}`);
    expect((await personOf("v1")).id).not.toBe((await personOf("v2")).id);
    expect(await laptop.command("link", `confirm ${linkId}`)).toContain(
      "Linked with “Visitor” on web (Safari on iPhone)",
    );
    expect((await phone.unsolicited()).at(-1)?.markdown).toContain("Linked with “Visitor” on web (Chrome on Linux)");
    const person = await personOf("v1");
    expect(person.id).toBe((await personOf("v2")).id);
    expect(person.surfaces.map(({ conversation }) => conversation)).toEqual([laptop.conversation, phone.conversation]);
  });

  it("when they are linked, then their person is still anonymous, and /unlink names the devices (R1)", async () => {
    await linkUp(laptop, phone);
    const account = { id: "v1", name: "Visitor", anonymous: true };
    const sender = { tenant: "default", conversation: laptop.conversation, account };
    expect(resolvedAsker(await personOf("v1"), sender).isIdentified).toBe(false);
    expect(await phone.command("unlink")).toBe(
      "“Visitor” on web (Safari on iPhone) is no longer linked with “Visitor” on web (Chrome on Linux).",
    );
    expect((await laptop.unsolicited()).at(-1)?.markdown).toContain("“Visitor” on web (Safari on iPhone) is no longer");
    expect((await personOf("v1")).id).not.toBe((await personOf("v2")).id);
  });

  it("when a third browser enters the used code, then it does not see the question, and its confirmation links nothing", async () => {
    const code = await laptop.code();
    const linkId = linkIdIn(await phone.command("link", code));
    const stranger = browser("v3", "Chrome on Linux");
    expect(await stranger.command("link", code)).toContain("already used");
    expect(await stranger.command("link", `confirm ${linkId}`)).toContain("don't know this code");
  });

  it("when a code is wrong, expired, guessed too often or entered where it was asked for, then nothing is linked", async () => {
    const code = await laptop.code();
    expect(await laptop.command("link", code)).toContain("another browser");
    for (let index = 0; index < 5; index++) {
      expect(await phone.command("link", "22222-22222")).toContain("don't know this code");
    }
    expect(await phone.command("link", code)).toContain("a lot of tries");
    core.clock.advance(11 * MINUTE_MS);
    expect(await phone.command("link", code)).toContain("expired");
    const linkId = linkIdIn(await phone.command("link", await laptop.code()));
    await phone.command("link", `confirm ${linkId}`);
    core.clock.advance(11 * MINUTE_MS);
    expect(await laptop.command("link", `confirm ${linkId}`)).toContain("expired");
    expect((await personOf("v1")).id).not.toBe((await personOf("v2")).id);
  });

  it("when one of them is signed in, or both are, then they are not linked", async () => {
    const [ann, bob] = [signed("ann"), signed("bob")];
    for (const [one, other] of [
      [ann, bob],
      [ann, phone],
      [phone, ann],
    ] as const) {
      expect(await other.command("link", await one.code())).toContain("Send it to me from another channel.");
    }
  });

  it("when one of them is linked with another channel, then the link shows the device there, without words", async () => {
    const slack = new At(core, "slack", "ann");
    const asked = await slack.command("link", await laptop.code());
    expect(asked).toContain("“Visitor” on web (Chrome on Linux)");
    expect(wordsIn(asked)).toBeUndefined();
    await slack.command("link", `confirm ${linkIdIn(asked)}`);
    await laptop.command("link", `confirm ${linkIdIn(asked)}`);
    await linkUp(laptop, phone);
    expect((await personOf("v2")).accounts).toHaveLength(3);
  });
});

describe("given the words of a link (I1)", () => {
  const words = (id: string, accountId: string) => wordsOf({ id, claimant: { accountId } });

  it("then they are stable, and differ by link and by the account that entered the code", () => {
    expect(words("a1", "v2")).toBe(words("a1", "v2"));
    const all = Array.from({ length: 200 }, (_, index) => words(`link-${index}`, "v2"));
    expect(new Set(all).size).toBeGreaterThan(195);
    expect(words("a1", "v2")).not.toBe(words("a1", "v3"));
    for (const pair of all) expect(pair).toMatch(/^[a-z]+ [a-z]+$/);
  });

  it("then accounts of two channels, or one account, are not two devices", () => {
    const side = (channel: string, id: string) =>
      sideOf(
        userMessage("m", "x", {
          conversation: { channel, room: id, kind: "private" },
          account: { id, name: "Visitor", anonymous: true },
        }),
      );
    expect(areDevices(side("web", "a"), side("web", "b"))).toBe(true);
    expect(areDevices(side("web", "a"), side("web", "a"))).toBe(false);
    expect(areDevices(side("web", "a"), side("shop", "b"))).toBe(false);
  });
});
