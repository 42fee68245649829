import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArrivingBody, BodyBudget, type Sender } from "../../../gateway/http/body-budget.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

const MB = 1_000_000;
const anonymous = (key: string): Sender => ({ key, allowance: 1, isAuthenticated: false });
const operator: Sender = { key: "operator", allowance: 1, isAuthenticated: true };
const neverAborted = () => expect.unreachable("the body must not be aborted");

describe("given a budget of 250 MB for request bodies", () => {
  it("when 100,000 bodies are announced and none arrives, then it stays empty, and all are aborted after 5 s (F38)", () => {
    const budget = new BodyBudget(250 * MB);
    let cut = 0;
    for (let n = 0; n < 100_000; n++) budget.begin(anonymous(`203.0.113.${n % 250}`), 0, () => void cut++);
    expect(budget.bytes).toBe(0);
    const event = budget.begin(anonymous("slack"), 0, neverAborted);
    expect(event.receive(5_000, 1)).toBe(true);
    event.complete();
    budget.abortStalled(5_000);
    expect(cut).toBe(0);
    budget.abortStalled(5_001);
    expect(cut).toBe(100_000);
    expect([budget.arriving, budget.bytes]).toEqual([0, 5_000]);
  });

  it("when anonymous senders have used their share, then operators and calling agents can still send", () => {
    const budget = new BodyBudget(250 * MB);
    const bodies = Array.from({ length: 4_000 }, (_, n) => budget.begin(anonymous(`a${n}`), 0, neverAborted));
    expect(bodies.filter((body) => body.receive(64_000, 1)).length).toBe(Math.floor((250 * MB * 7) / 8 / 64_000));
    expect(budget.begin(operator, 1, neverAborted).receive(20 * MB, 1)).toBe(true);
    expect(budget.begin(anonymous("slack"), 1, () => undefined).receive(64_000, 1)).toBe(false);
  });

  it("when slow bodies have used it up, then they are aborted in favour of a fast one (F38)", () => {
    const budget = new BodyBudget(100 * MB);
    let cut = 0;
    for (let n = 0; n < 2_000; n++) budget.begin(anonymous(`a${n}`), 0, () => void cut++).receive(50_000, 1);
    expect(budget.begin(anonymous("slack"), 2_001, neverAborted).receive(60_000, 2_001)).toBe(true);
    expect(cut).toBeGreaterThan(0);
  });

  it("when large uploads have used their half, then small bodies are accepted; one address gets an eighth", () => {
    const budget = new BodyBudget(250 * MB);
    const upload = (key: string) => budget.begin(anonymous(key), 0, neverAborted).receive(20 * MB, 1);
    expect(["a", "b", "c", "d", "e", "f", "g"].map(upload)).toEqual([true, true, true, true, true, true, false]);
    expect(budget.begin(anonymous("g"), 1, neverAborted).receive(64_000, 1)).toBe(true);
    const other = new BodyBudget(250 * MB);
    const second = (key: string) => other.begin(anonymous(key), 0, neverAborted).receive(20 * MB, 1);
    expect([second("a"), second("a"), second("b")]).toEqual([true, false, true]);
  });

  it.each([
    ["it pauses for more than 10 s", [[0, 200_000]], 10_001],
    [
      "it is below 4 kB/s on average",
      [
        [1_000, 1_000],
        [4_900, 5_000],
      ],
      5_001,
    ],
  ])("when a body is so slow that %s, then it is aborted", (_, pieces, at) => {
    const budget = new BodyBudget(250 * MB);
    let cut = false;
    const body = budget.begin(anonymous("a"), 0, () => {
      cut = true;
    });
    for (const [when = 0, bytes = 0] of pieces) body.receive(bytes, when);
    budget.abortStalled(at - 1);
    expect(cut).toBe(false);
    budget.abortStalled(at);
    expect([cut, budget.bytes]).toEqual([true, 0]);
  });
});

/** One step of an anonymous sender, of an authenticated sender, or of time. */
const step = fc.oneof(
  fc.record({ do: fc.constant("begin" as const), who: fc.nat(40), isAuthenticated: fc.boolean() }),
  fc.record({ do: fc.constant("receive" as const), body: fc.nat(), bytes: fc.integer({ min: 1, max: 3 * MB }) }),
  fc.record({ do: fc.constant("complete" as const), body: fc.nat() }),
  fc.record({ do: fc.constant("release" as const), body: fc.nat() }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 4_000 }) }),
);

describe("given any sequence of anonymous bodies that begin, send, pause and end", () => {
  it("then memory is bounded, counted exactly, and released in full", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 300 }), (steps) => {
        const max = 100 * MB;
        const budget = new BodyBudget(max);
        const bodies: { body: ArrivingBody; held: number; state: "open" | "done" | "gone" }[] = [];
        let now = 0;
        for (const each of steps) {
          const chosen = "body" in each ? bodies[each.body % Math.max(1, bodies.length)] : undefined;
          if (each.do === "wait") {
            now += each.ms;
            budget.abortStalled(now);
          } else if (each.do === "begin") {
            const entry: (typeof bodies)[number] = { body: undefined as never, held: 0, state: "open" };
            entry.body = budget.begin(
              { ...anonymous(`a${each.who}`), isAuthenticated: each.isAuthenticated },
              now,
              () => {
                entry.held = 0;
                entry.state = "gone";
              },
            );
            bodies.push(entry);
          } else if (chosen?.state === "open" && each.do === "receive") {
            if (chosen.body.receive(each.bytes, now)) chosen.held += each.bytes;
          } else if (chosen?.state === "open" && each.do === "complete") {
            chosen.body.complete();
            chosen.state = "done";
          } else if (chosen && each.do === "release") {
            chosen.body.release();
            Object.assign(chosen, { held: 0, state: "gone" });
          }
          expect(budget.bytes).toBe(bodies.reduce((sum, { held }) => sum + held, 0));
          expect(budget.bytes).toBeLessThanOrEqual(max);
        }
        for (const { body } of bodies) body.release();
        expect([budget.bytes, budget.arriving]).toEqual([0, 0]);
      }),
      propertyRuns(60),
    );
  });
});
