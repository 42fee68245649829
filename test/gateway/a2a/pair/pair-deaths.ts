import { type Task, TaskState } from "@a2a-js/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlaceOptions } from "../../../core/deaths/backbone-place.ts";
import type { WebClient } from "../../../fakes/web-client.ts";
import { answerOf } from "../a2a-under-test.ts";
import { finals, type Name, otherThan, Pair, unsolicited } from "./pair.ts";

const TIME = { timeout: 120_000 };

/** Where "ay" dies, while it asks or while it is asked. */
export interface Death {
  readonly as: "caller" | "callee";
  /** A checkpoint, or in words. */
  readonly at: string;
  /** From when on it may: the question, while it is made (or until it was), its end, or the turn that tells of it. */
  readonly since: "asked" | "making" | "making-and-away" | "made" | "telling";
}

const died = (as: Death["as"], since: Death["since"], ...places: readonly string[]): Death[] =>
  places.map((at) => ({ as, at, since }));

/** Every step of a delegation, on both sides. */
export const everyDeath: readonly Death[] = [
  ...died("caller", "asked", "call.reserved", "call.created", "call.published", "call.sending", "call.heard"),
  ...died("caller", "asked", "call.accepted"),
  ...died("caller", "making", "while it is made"),
  ...died("caller", "making-and-away", "until it is made"),
  ...died("caller", "made", "call.settled", "call.told"),
  ...died("caller", "telling", "reply.before", "reply.published"),
  ...died("callee", "asked", "a2a.before", "a2a.published", "a2a.stored", "turn.opened", "model.before"),
  ...died("callee", "making", "while it is made"),
  ...died("callee", "made", "model.journaled", "reply.before", "a2a.settled", "push.before", "push.sent"),
];

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/**
 * One of two deployments gets a `kill -9` at a step of a delegation and is started again: each delegation ends in one
 * visible outcome, with its anchor (O8), and in one task at the other (L1, A8, A9).
 */
export const pairDeaths = (kind: PlaceOptions["kind"], deaths: readonly Death[]): void => {
  describe(`given two deployments on ${kind} that delegate to each other, of which one dies`, () => {
    let pair: Pair;
    const asked: { readonly what: string; readonly at: Name; readonly person: WebClient; readonly ask: string }[] = [];
    beforeAll(async () => {
      pair = await Pair.start(kind);
    });
    afterAll(() => pair.dispose());

    const askAt = (at: Name, what: string) => {
      const ask = `task_delegate ${otherThan(at)} ${what}`;
      const person = pair.personAt(at, what);
      asked.push({ what, at, person, ask });
      return { person, said: person.say(ask) };
    };
    /** The person goes on to something else: what comes now must say what it is about. */
    const moveOn = async (person: WebClient, said: string) => {
      expect((await person.answerTo(said)).markdown).toBe("on it");
      await person.answerTo(person.command("new"));
    };
    const told = (person: WebClient, what: string) =>
      person.until(() => unsolicited(person).some(({ markdown }) => markdown === `told of ${what}`), what);

    it.each(deaths)("when the $as dies ($at), then what was asked for is told", TIME, async ({ as, at, since }) => {
      const what = `order${asked.length}`;
      if (since === "asked") await pair.ay.dieAt(at);
      const { person, said } = askAt(as === "caller" ? "ay" : "bee", what);
      if (since === "asked") await pair.ay.revived();
      await moveOn(person, said);
      if (since === "made") await pair.ay.dieAt(at);
      if (since === "telling") {
        pair.beforeTelling = async () => {
          pair.beforeTelling = undefined;
          await pair.ay.dieAt(at);
        };
      }
      if (since.startsWith("making")) {
        const isMaking = ({ status, history }: Task) =>
          status?.state === TaskState.TASK_STATE_WORKING && JSON.stringify(history).includes(`make ${what}"`);
        await until(async () => (await pair.tasksAt(as === "caller" ? "bee" : "ay")).some(isMaking));
        await pair.ay.kill();
      }
      if (since === "making") await pair.ay.restart();
      pair.release(what);
      if (since === "making-and-away") {
        await until(async () => (await pair.tasksAt("bee")).some((task) => answerOf(task) === `made ${what}`));
        await pair.ay.restart();
      }
      if (since === "made" || since === "telling") await pair.ay.revived();
      await told(person, what);
    });

    it("when the caller dies while it waits for an answer, then its turn goes on with it", TIME, async () => {
      const person = pair.personAt("ay", "consulting");
      const said = person.say("consult bee facts");
      await until(async () => JSON.stringify(await pair.tasksAt("bee")).includes("make facts"));
      await pair.ay.kill();
      await pair.ay.restart();
      pair.release("facts");
      expect((await person.answerTo(said)).markdown).toBe("made facts");
      expect(finals(person)).toHaveLength(1);
    });

    it("when all is over, then each was told once, anchored to its question, and made once", TIME, async () => {
      for (const { person, what, ask } of asked) {
        // Behind everything of its conversation.
        await person.answerTo(person.command("new"));
        const shown = unsolicited(person).map(({ markdown, anchor }) => [markdown, anchor?.summary, anchor?.channel]);
        expect(shown).toEqual([[`told of ${what}`, ask, "web"]]);
        expect(finals(person).filter(({ correlationId }) => correlationId !== undefined)).toHaveLength(1);
      }
      for (const at of ["ay", "bee"] as const) {
        const tasks = await pair.tasksAt(otherThan(at));
        const made = asked.filter((one) => one.at === at).map(({ what }) => `made ${what}`);
        const others = at === "ay" ? ["made facts"] : [];
        expect(tasks.map(answerOf).sort()).toEqual([...made, ...others].sort());
        expect(tasks.every(({ status }) => status?.state === TaskState.TASK_STATE_COMPLETED)).toBe(true);
      }
    });
  });
};
