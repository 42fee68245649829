import { describe, expect, it } from "vitest";
import type { Account, Ask, Books, Letter, Seen } from "./account.ts";
import { isRight, settle, WRONGS } from "./account.ts";

const HERE = "slack D0ANN";
const THERE = "web ann";
const ELSEWHERE = "web bob";
const SILENT = "teams cat";

const plain = (token: string, conversation = HERE): Ask => ({
  token,
  conversation,
  answer: { words: `answer-${token}`, conversation, anchored: false },
  later: [],
});
const research = (token: string): Ask => ({
  ...plain(token),
  answer: { words: `announced-${token}`, conversation: HERE, anchored: false },
  later: [
    { words: `result-${token}`, conversation: HERE, anchored: false },
    { words: `result-${token}`, conversation: THERE, anchored: true },
  ],
});

const asks = [plain("m1"), research("m2"), plain("m3"), plain("m4", ELSEWHERE), plain("m5", SILENT)];
const seen: readonly Seen[] = [
  { conversation: HERE, text: "answer-m1" },
  { conversation: HERE, text: "announced-m2" },
  { conversation: HERE, text: "job-m2-a: done" },
  { conversation: ELSEWHERE, text: "answer-m4" },
  { conversation: HERE, text: "answer-m3" },
  { conversation: SILENT, text: "answer-m5" },
  { conversation: THERE, text: "Well: result-m2.", anchor: 'Re: "research m2"' },
  { conversation: HERE, text: "Well: result-m2." },
];
const account = (changes: Partial<Books> = {}): Account =>
  settle({ asks, seen, letters: [], silent: ["teams"], ...changes });
const without = (text: string, conversation = HERE) =>
  seen.filter((each) => each.conversation !== conversation || each.text !== text);
const letter = (changes: Partial<Letter> = {}): Letter => ({
  conversation: SILENT,
  about: "say m5",
  reason: "unknown: the answer was cut off",
  ...changes,
});

/** The account has exactly these errors and no others. */
const expectWrong = (found: Account, wrong: (typeof WRONGS)[number], ...lines: unknown[]): void => {
  expect(found[wrong]).toEqual(lines);
  for (const other of WRONGS) if (other !== wrong) expect(found[other]).toEqual([]);
  expect(isRight(found)).toBe(false);
};

describe("given records without errors", () => {
  it("then everything is counted and there are no errors", () => {
    expect(account()).toEqual({
      messages: 5,
      answers: 7,
      lost: [],
      duplicated: [],
      outOfOrder: [],
      wronglyShown: [],
      needlesslyUnknown: [],
      unknown: [],
    });
    expect(isRight(account())).toBe(true);
  });

  it("when the conversations are in another order, then that is not an error", () => {
    expect(isRight(account({ seen: [...seen].sort((a, b) => b.conversation.localeCompare(a.conversation)) }))).toBe(
      true,
    );
  });
});

describe("given records with one error", () => {
  it("when an answer is missing, then it is lost", () => {
    expectWrong(account({ seen: without("answer-m3") }), "lost", "answer-m3 in slack D0ANN");
  });

  it("when a proactive message is missing in one of its conversations, then it is lost there", () => {
    expectWrong(account({ seen: without("Well: result-m2.", THERE) }), "lost", "result-m2 in web ann");
  });

  it("when an answer is shown twice, then it is duplicated", () => {
    const again = [...seen, { conversation: HERE, text: "answer-m3" }];
    expectWrong(account({ seen: again }), "duplicated", "answer-m3 in slack D0ANN, 2 times");
  });

  it("when two answers are swapped, then they are out of order", () => {
    const swapped = [...without("answer-m1"), { conversation: HERE, text: "answer-m1" }];
    const found = account({ seen: swapped });
    expectWrong(
      found,
      "outOfOrder",
      "announced-m2 in slack D0ANN before answer-m1",
      "answer-m3 in slack D0ANN before answer-m1",
    );
  });

  it("when a result is shown before its announcement, then it is out of order", () => {
    const early = [{ conversation: HERE, text: "result-m2" }, ...without("Well: result-m2.")];
    expectWrong(account({ seen: early }), "outOfOrder", "result-m2 in slack D0ANN before announced-m2");
  });

  it.each(["answer-m1", "job-m2-a: done", "answer-m9"])(
    "when another person sees %s, then it is wrongly shown",
    (text) => {
      const leaked = [...seen, { conversation: ELSEWHERE, text }];
      expectWrong(account({ seen: leaked }), "wronglyShown", expect.stringContaining(`"${text}" in web bob`));
    },
  );

  it("when activity is shown in another conversation of the asker, then it is wrongly shown", () => {
    const unexpected = [...seen, { conversation: THERE, text: "job-m2-a: done" }];
    expectWrong(account({ seen: unexpected }), "wronglyShown", expect.stringContaining("not for those there"));
  });

  it("when a message belongs to no request, then it is wrongly shown", () => {
    const stray = [...seen, { conversation: HERE, text: "Something went wrong." }];
    expectWrong(account({ seen: stray }), "wronglyShown", expect.stringContaining("without a request"));
  });

  it.each([
    { what: "without its anchor", conversation: THERE, anchor: undefined },
    { what: "with the anchor of another", conversation: THERE, anchor: 'Re: "say m1"' },
    { what: "with an anchor where it was asked", conversation: HERE, anchor: 'Re: "research m2"' },
  ])("when a result comes $what, then it is wrongly shown", ({ conversation, anchor }) => {
    const text = "Well: result-m2.";
    const changed = [...without(text, conversation), { conversation, text, ...(anchor !== undefined && { anchor }) }];
    expectWrong(account({ seen: changed }), "wronglyShown", expect.stringContaining("result-m2 in"));
  });
});

describe("given a delivery with an unknown outcome", () => {
  it("when operators see its dead letter, then a missing answer is unknown, not lost", () => {
    const found = account({ seen: without("answer-m5", SILENT), letters: [letter()] });
    expect(found.unknown).toEqual(['"say m5" in teams cat: unknown: the answer was cut off']);
    expect(isRight(found)).toBe(true);
  });

  it.each([
    { what: "the later answer", late: "answer-m5" },
    { what: "the result that it announced", late: "announced-m6" },
  ])(
    "when it is shown after $what, then its position is not guaranteed, and nothing is out of order (F11)",
    ({ late }) => {
      const announced = { words: "announced-m6", conversation: SILENT, anchored: false };
      const result = { words: "result-m6", conversation: SILENT, anchored: false };
      const unknownOutcome = { token: "m6", conversation: SILENT, answer: announced, later: [result] };
      const course = ["answer-m5", "announced-m6", "result-m6", "answer-m7"].filter((text) => text !== late);
      const books = {
        asks: [...asks, unknownOutcome, plain("m7", SILENT)],
        seen: [...without("answer-m5", SILENT), ...[...course, late].map((text) => ({ conversation: SILENT, text }))],
      };
      const about = late.endsWith("m5") ? "say m5" : "research m6";
      expect(isRight(account({ ...books, letters: [letter({ about })] }))).toBe(true);
      expect(account(books).outOfOrder).not.toEqual([]);
    },
  );

  it("when other answers in its conversation are swapped, then those are still out of order", () => {
    const swapped = ["answer-m7", "answer-m5", "answer-m6"].map((text) => ({ conversation: SILENT, text }));
    const books = {
      asks: [...asks, plain("m6", SILENT), plain("m7", SILENT)],
      seen: [...without("answer-m5", SILENT), ...swapped],
    };
    const found = account({ ...books, letters: [letter()] });
    expectWrong(found, "outOfOrder", "answer-m7 in teams cat before answer-m6");
  });

  it("when it was delivered after all, then it still counts as unknown, so that operators can decide about each", () => {
    const found = account({ letters: [letter()] });
    expect([found.unknown.length, isRight(found)]).toEqual([1, true]);
  });

  it.each([
    letter({ conversation: "teams dan" }),
    letter({ about: "say m1" }),
    letter({ reason: "rejected: too long" }),
  ])("when operators see another dead letter (%j), then a missing answer is lost", (other) => {
    expectWrong(account({ seen: without("answer-m5", SILENT), letters: [other] }), "lost", "answer-m5 in teams cat");
  });

  it.each([
    { what: "is missing", shown: without("answer-m3") },
    { what: "is there", shown: seen },
  ])("when its platform can be queried and the answer $what, then the unknown outcome is an error", ({ shown }) => {
    const letters = [letter({ conversation: HERE, about: "say m3" })];
    const line = '"say m3" in slack D0ANN: unknown: the answer was cut off';
    const found = account({ seen: shown, letters });
    expectWrong(found, "needlesslyUnknown", line);
    expect(found.unknown).toEqual([]);
  });

  it("when every platform can be queried, then no outcome may be unknown", () => {
    expectWrong(
      account({ letters: [letter()], silent: [] }),
      "needlesslyUnknown",
      expect.stringContaining("in teams cat"),
    );
  });
});
