import { beforeEach, describe, expect, it } from "vitest";
import type { Audience } from "../../../../core/contract/messages/work-context.ts";
import type { Bus, DeadLetter } from "../../../../core/contract/ports/bus.ts";
import { deadLetterKey } from "../../../../core/contract/ports/bus.ts";
import { english } from "../../../../core/contract/texts/texts.ts";
import { type LedgerEntry, ledgerKey } from "../../../../core/delivery/ledger-entry.ts";
import { sendAgain, settleUndelivered } from "../../../../core/delivery/undelivered/settle-undelivered.ts";
import type { Addressee, Undelivered } from "../../../../core/delivery/undelivered/undelivered.ts";
import {
  deliveryFailureText,
  findUndelivered,
  listUndeliveredFor,
  noteUndelivered,
  readDeadLetter,
  undeliveredKey,
} from "../../../../core/delivery/undelivered/undelivered.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { sampleReply } from "../../../fakes/sample-reply.ts";
import { undeliveredOnChannel } from "../../../fakes/undelivered-on-channel.ts";
import { privateOn } from "../person-on-channels.ts";

const AT = "2026-03-10T21:00:00.000Z";
const DEAD_AT = "2026-03-10T21:05:00.000Z";
const home = privateOn("web");
const annsAudience: Audience = { conversation: home, personId: "p", accountId: "ann" };
const ann: Addressee = ["account", "web", "ann"];

let clock: ManualClock;
let store: MemoryStore;
let published: { family: string; parts: readonly string[]; message: object; id: string; key: string | undefined }[];
beforeEach(() => {
  clock = new ManualClock(Date.parse(AT));
  store = new MemoryStore(clock);
  published = [];
});
const publish: Bus["publish"] = async ({ family, parts }, message, { id, key }) => {
  published.push({ family, parts, message: message as object, id, key });
  return "stored";
};
const settle = (entry: Undelivered | undefined, what: "send-again" | "dismiss", by = "ann's button") =>
  settleUndelivered(
    { bus: { publish } as Bus, store, clock },
    entry ?? { tenant: "default", channel: "web", id: "-" },
    what,
    by,
  );

/** Stores a dead-lettered delivery as the relay does; `n` is also the minute of its publication. */
const deadLetter = async (n: number, { audience = annsAudience, markdown = `answer ${n}`, isLog = false } = {}) => {
  const reply = sampleReply(`r${n}`, home, markdown, { audience });
  const request = { id: `r${n}/web`, reply, target: home };
  const letter: DeadLetter = {
    subject: "delivery",
    durable: "outbox-web",
    id: request.id,
    message: isLog ? reply : request,
    reason: "target-gone: the room was deleted",
    attempts: 1,
    publishedAt: `2026-03-10T20:0${n}:00.000Z`,
    deadAt: DEAD_AT,
  };
  await store.put(deadLetterKey(letter.durable, letter.id), letter);
  await noteUndelivered(store, request, letter);
};
const listed = async (addressees: readonly Addressee[] = [ann], limit = 10, after?: string) =>
  listUndeliveredFor(store, "default", addressees, { limit, after });
const excerpts = async (...args: Parameters<typeof listed>) => (await listed(...args)).map(({ excerpt }) => excerpt);

describe("given dead-lettered deliveries (D6)", () => {
  it("then their addressee finds them, newest first, page by page", async () => {
    for (const n of [2, 1, 3]) await deadLetter(n);
    expect(await excerpts()).toEqual(["answer 3", "answer 2", "answer 1"]);
    const [first] = await listed([ann], 1);
    expect(first?.excerpt).toBe("answer 3");
    expect(await excerpts([ann], 1, first?.id)).toEqual(["answer 2"]);
  });

  it("then other people find them neither in the list nor by id", async () => {
    await deadLetter(1);
    const [entry] = await listed();
    expect(await listed([["account", "web", "bob"]])).toEqual([]);
    expect(await findUndelivered(store, "default", [["account", "web", "bob"]], entry?.id ?? "")).toBeUndefined();
    expect(await findUndelivered(store, "default", [["person", "x"], ann], entry?.id ?? "")).toEqual(entry);
  });

  it("when a person types an invalid id, then nothing is looked up", async () => {
    store.before = () => {
      throw new Error("the store was read");
    };
    for (const id of ["", "A", "a b", "a/b", "x".repeat(41), "a\nb", "é"]) {
      expect(await findUndelivered(store, "default", [ann], id)).toBeUndefined();
    }
    await expect(findUndelivered(store, "default", [ann], "x".repeat(40))).rejects.toThrow("the store was read");
  });

  it("when the reader may not see some of them, then a page is filled with the visible ones", async () => {
    for (const n of [1, 2, 3]) await deadLetter(n);
    const isShown = ({ excerpt }: Undelivered) => excerpt !== "answer 3";
    const shown = await listUndeliveredFor(store, "default", [ann], { limit: 2 }, isShown);
    expect(shown.map(({ excerpt }) => excerpt)).toEqual(["answer 2", "answer 1"]);
  });

  it("when no account asked for it, then its person finds it; without a person only operators do", async () => {
    await deadLetter(1, { audience: { conversation: home, personId: "p" } });
    await deadLetter(2, { audience: { conversation: home, personId: null } });
    expect(await excerpts([["person", "p"]])).toEqual(["answer 1"]);
    expect(store.names().filter((name) => name.startsWith("undelivered-of/"))).toHaveLength(1);
    expect(store.names().filter((name) => name.startsWith("undelivered/"))).toHaveLength(2);
  });

  it("when the person has several accounts, then one list has all entries in order of time", async () => {
    await deadLetter(1, { audience: { ...annsAudience, accountId: "ann-2" } });
    await deadLetter(2);
    await deadLetter(3, { audience: { ...annsAudience, accountId: "ann-2" } });
    expect(await excerpts([ann, ["account", "web", "ann-2"]])).toEqual(["answer 3", "answer 2", "answer 1"]);
  });

  it("when the index points to a missing entry, then the others are shown", async () => {
    for (const n of [1, 2]) await deadLetter(n);
    const [newest] = await listed();
    if (newest) await store.delete(undeliveredKey(newest));
    expect(await excerpts()).toEqual(["answer 1"]);
    expect(await findUndelivered(store, "default", [ann], newest?.id ?? "")).toBeUndefined();
  });

  it("then the list shows an excerpt, in one line of at most 120 characters", async () => {
    await deadLetter(1, { markdown: `  first\n\n\tline ${"x".repeat(200)}` });
    const [excerpt = ""] = await excerpts();
    expect(excerpt).toMatch(/^first line x+…$/);
    expect(excerpt).toHaveLength(120);
  });

  it("when the same dead letter is recorded again, then there is still one entry", async () => {
    await deadLetter(1);
    await deadLetter(1);
    expect(await excerpts()).toEqual(["answer 1"]);
  });
});

describe("given an undelivered entry that a person settles (D6)", () => {
  const entryOf = (state: "unknown" | "accepted" | "withdrawn" | "claimed") =>
    ({ state, at: AT, attempt: 1, maybeSentAt: AT, messageId: "m", reason: "slow" }) as unknown as LedgerEntry;
  const states = async () =>
    Promise.all([0, 1, 2, 3].map(async (n) => (await store.get(ledgerKey("r1", home, n)))?.value));

  it("when it is sent again, then it is queued under a new id and leaves the list", async () => {
    await deadLetter(1);
    const [entry] = await listed();
    expect(await settle(entry, "send-again")).toBe("done");
    expect(published).toMatchObject([
      {
        family: "delivery",
        parts: ["web"],
        message: { id: "r1/web", byHand: true },
        id: `r1/web/again/${DEAD_AT}`,
        key: "+web/-/+dm/-",
      },
    ]);
    expect(store.names()).toEqual([]);
  });

  it("when it is sent again, then parts with an unknown outcome are repeated and accepted ones are not", async () => {
    await deadLetter(1);
    const known = ["accepted", "unknown", "withdrawn", "claimed"] as const;
    for (const [n, state] of known.entries()) await store.put(ledgerKey("r1", home, n), entryOf(state));
    await store.put(ledgerKey("r1", privateOn("web", "another"), 0), entryOf("unknown"));
    await settle((await listed())[0], "send-again");
    const again = { state: "failed", at: AT, reason: "send again" };
    expect(await states()).toMatchObject([{ state: "accepted" }, again, again, { state: "claimed" }]);
    expect((await store.get(ledgerKey("r1", privateOn("web", "another"), 0)))?.value.state).toBe("unknown");
  });

  it("when the channel has its own log, then the reply itself is published again", async () => {
    await deadLetter(1, { isLog: true });
    const [entry] = await listed();
    expect((await readDeadLetter(store, entry?.letter ?? { durable: "", id: "" }))?.markdown).toBe("answer 1");
    await settle(entry, "send-again");
    expect(published).toMatchObject([
      {
        family: "user.response",
        parts: ["mooring"],
        message: { id: "r1", mayRepeat: true },
        id: `r1/again/${DEAD_AT}`,
        key: "+web/-/+dm/-",
      },
    ]);
    expect(store.names()).toEqual([]);
  });

  it("when it is dismissed, then it is deleted and nothing is sent", async () => {
    await deadLetter(1);
    const [entry] = await listed();
    expect((await readDeadLetter(store, entry?.letter ?? { durable: "", id: "" }))?.markdown).toBe("answer 1");
    expect(await settle(entry, "dismiss")).toBe("done");
    expect(published).toEqual([]);
    expect(store.names()).toEqual([]);
    expect(await settle(entry, "dismiss")).toBe("taken");
  });

  it("when its dead letter is missing, then it leaves the list and nothing is sent", async () => {
    await deadLetter(1);
    const [entry] = await listed();
    const letter = entry?.letter ?? { durable: "", id: "" };
    await store.delete(deadLetterKey(letter.durable, letter.id));
    expect(await readDeadLetter(store, letter)).toBeUndefined();
    expect(await settle(entry, "send-again")).toBe("done");
    expect(published).toEqual([]);
    expect(store.names()).toEqual([]);
  });

  it("when the outbox settles a part concurrently, then its outcome is not overwritten", async () => {
    await deadLetter(1);
    await store.put(ledgerKey("r1", home, 0), entryOf("unknown"));
    store.before = async (operation, collection) => {
      if (operation !== "put" || collection !== "ledger") return;
      store.before = () => undefined;
      await store.put(ledgerKey("r1", home, 0), entryOf("accepted"));
    };
    await expect(settle((await listed())[0], "send-again")).rejects.toThrow("another writer was first");
    expect((await store.get(ledgerKey("r1", home, 0)))?.value.state).toBe("accepted");
  });

  it("when it has no addressee, then an operator can settle it", async () => {
    await deadLetter(1, { audience: { conversation: home, personId: null } });
    const [entry] = await undeliveredOnChannel(store, "web");
    expect(await settle(entry, "dismiss")).toBe("done");
    expect(store.names()).toEqual([]);
  });

  it("when a process crashed in between, then the same request resumes, and another request succeeds after a minute", async () => {
    await deadLetter(1);
    const [entry] = await listed();
    const crashAtDelete = () => {
      store.before = (operation, collection) => {
        if (operation === "put" && collection === "dead-letters") throw new Error("cut off");
      };
    };
    crashAtDelete();
    await expect(settle(entry, "dismiss", "first")).rejects.toThrow("cut off");
    store.before = () => undefined;
    expect(await settle(entry, "dismiss", "second")).toBe("taken");
    clock.advance(59_999);
    expect(await settle(entry, "dismiss", "second")).toBe("taken");
    crashAtDelete();
    await expect(settle(entry, "dismiss", "first")).rejects.toThrow("cut off");
    store.before = () => undefined;
    clock.advance(60_000);
    expect(await settle(entry, "dismiss", "second")).toBe("done");
  });

  it("when two requests settle it at the same time, then one of them does", async () => {
    await deadLetter(1);
    const [entry] = await listed();
    const both = await Promise.all([settle(entry, "send-again", "one"), settle(entry, "send-again", "two")]);
    expect(both.toSorted()).toEqual(["done", "taken"]);
    expect(published).toHaveLength(1);
  });

  it("when the store fails, then the failure is reported and not treated as a race", async () => {
    await deadLetter(1);
    const [entry] = await listed();
    store.before = (operation) => {
      if (operation === "put") throw new Error("disk full");
    };
    await expect(settle(entry, "dismiss")).rejects.toThrow("disk full");
  });
});

describe("given the reason of a dead letter, then people read it as a sentence", () => {
  it.each([
    ["unknown: no answer", "it may or may not have arrived (no answer)"],
    ["target-gone: HTTP 404\nNot Found", "the conversation no longer exists (HTTP 404\nNot Found)"],
    ["rate-limited: 429", "the platform limits how much I send (429)"],
    ["strange: 1", "strange: 1"],
    ["it broke", "it broke"],
    ["oh, unknown: x", "oh, unknown: x"],
  ])("%j", (reason, text) => {
    expect(deliveryFailureText(reason, english)).toBe(text);
  });
});

describe("given a dead letter that cannot be read", () => {
  it("when a person sends it again, then the error names it, and nothing is published", async () => {
    const letter: DeadLetter = {
      subject: "delivery",
      durable: "outbox-web",
      id: "r1/web",
      message: { from: "a later version" },
      reason: "bad-input: unknown kind",
      attempts: 1,
      publishedAt: AT,
      deadAt: DEAD_AT,
    };
    await expect(sendAgain({ bus: { publish } as Bus, store, clock }, letter)).rejects.toMatchObject({
      code: "data-unusable",
      message: expect.stringContaining("r1/web"),
    });
    expect(published).toEqual([]);
  });
});
