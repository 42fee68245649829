import { type Task, TaskState } from "@a2a-js/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DataOptions } from "../../../core/crashes/backbone-data.ts";
import type { WebClient } from "../../../fakes/web-client.ts";
import { answerOf } from "../a2a-under-test.ts";
import { finals, type Name, otherThan, Pair, unsolicited } from "./pair.ts";

const TIME = { timeout: 120_000 };

/** A crash of "ay", as the caller or as the callee. */
export interface Crash {
  readonly as: "caller" | "callee";
  /** A checkpoint, or a description. */
  readonly at: string;
  /**
   * The phase: the request, the work (or the time until its end), its end, the turn that reports it, or its end after the
   * requesting subtask was cancelled.
   */
  readonly phase: "request" | "work" | "work-while-down" | "end" | "report" | "late";
}

const crashes = (as: Crash["as"], phase: Crash["phase"], ...checkpoints: readonly string[]): Crash[] =>
  checkpoints.map((at) => ({ as, at, phase }));

/** Every step of handling an answer that arrived too late for the requesting subtask (L2). */
export const lateCrashes: readonly Crash[] = crashes("caller", "late", "late.saved", "late.listed", "late.assigned");

/** Every step of a delegation, on both sides. */
export const delegationCrashes: readonly Crash[] = [
  ...crashes("caller", "request", "call.reserved", "call.created", "call.published", "call.sending", "call.updated"),
  ...crashes("caller", "request", "call.accepted"),
  ...crashes("caller", "work", "while it works"),
  ...crashes("caller", "work-while-down", "until it has ended"),
  ...crashes("caller", "end", "call.settled", "call.notified"),
  ...crashes("caller", "report", "reply.before", "reply.published"),
  ...crashes("callee", "request", "a2a.before", "a2a.published", "a2a.stored", "turn.opened", "model.before"),
  ...crashes("callee", "work", "while it works"),
  ...crashes("callee", "end", "model.journaled", "reply.before", "a2a.settled", "push.before", "push.sent"),
];

interface Asked {
  readonly what: string;
  readonly at: Name;
  readonly person: WebClient;
  readonly shown: unknown[];
  /** Number of messages to the agent, each with its own answer. */
  readonly said: number;
}

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/**
 * One of two deployments is killed (`kill -9`) at a step of a delegation and restarted: each delegation ends in one
 * visible outcome, with its anchor (O8), and in one task at the other (L1, A8, A9).
 */
export const pairCrashes = (kind: DataOptions["kind"], steps: readonly Crash[]): void => {
  describe(`given two deployments on ${kind} that delegate to each other, of which one crashes`, () => {
    let pair: Pair;
    const asked: Asked[] = [];
    beforeAll(async () => {
      pair = await Pair.start(kind);
    });
    afterAll(() => pair.dispose());

    const askAt = (at: Name, what: string) => {
      const ask = `task_delegate ${otherThan(at)} ${what}`;
      const person = pair.personAt(at, what);
      asked.push({ what, at, person, shown: [[`told of ${what}`, ask, "web"]], said: 1 });
      return { person, said: person.say(ask) };
    };
    /**
     * A subtask delegates, and the agent cancels it while it waits: people are notified that it has no result. A person's
     * own cancellation would reach the other deployment, and no answer would follow.
     */
    const askWithLateAnswer = async (what: string) => {
      const ask = `subtask task_delegate bee ${what}`;
      const person = pair.personAt("ay", what);
      const late = [`told of ${what}\n\n_From bee._`, ask, "web"];
      asked.push({ what, at: "ay", person, shown: [["without it", undefined, undefined], late], said: 2 });
      person.say(ask);
      await until(async () => JSON.stringify(await pair.tasksAt("bee")).includes(`make ${what}"`));
      const offer = await person.answerTo(person.command("cancel"));
      await person.answerTo(person.say(`drop ${/subtask-[0-9a-f]{8}/.exec(offer.markdown ?? "")?.[0]}`));
      await person.until(() => unsolicited(person).length > 0, "the end of the subtask");
      await person.answerTo(person.command("new"));
      return person;
    };
    /** The person starts a new session, so that the result needs an anchor. */
    const startNewSession = async (person: WebClient, said: string) => {
      expect((await person.answerTo(said)).markdown).toBe("on it");
      await person.answerTo(person.command("new"));
    };
    const untilReported = (person: WebClient, what: string) =>
      person.until(() => unsolicited(person).some(({ markdown }) => markdown?.startsWith(`told of ${what}`)), what);

    it.each(steps)("when the $as crashes ($at), then the result is delivered", TIME, async ({ as, at, phase }) => {
      const what = `order${asked.length}`;
      if (phase === "late") {
        const person = await askWithLateAnswer(what);
        await pair.ay.crashAt(at);
        pair.release(what);
        await pair.ay.restarted();
        return untilReported(person, what);
      }
      if (phase === "request") await pair.ay.crashAt(at);
      const { person, said } = askAt(as === "caller" ? "ay" : "bee", what);
      if (phase === "request") await pair.ay.restarted();
      await startNewSession(person, said);
      if (phase === "end") await pair.ay.crashAt(at);
      if (phase === "report") {
        pair.beforeReport = async () => {
          pair.beforeReport = undefined;
          await pair.ay.crashAt(at);
        };
      }
      if (phase.startsWith("work")) {
        const isWorking = ({ status, history }: Task) =>
          status?.state === TaskState.TASK_STATE_WORKING && JSON.stringify(history).includes(`make ${what}"`);
        await until(async () => (await pair.tasksAt(as === "caller" ? "bee" : "ay")).some(isWorking));
        await pair.ay.kill();
      }
      if (phase === "work") await pair.ay.restart();
      pair.release(what);
      if (phase === "work-while-down") {
        await until(async () => (await pair.tasksAt("bee")).some((task) => answerOf(task) === `made ${what}`));
        await pair.ay.restart();
      }
      if (phase === "end" || phase === "report") await pair.ay.restarted();
      await untilReported(person, what);
    });

    it("when the caller crashes while it waits for an answer, then its turn continues with it", TIME, async () => {
      const person = pair.personAt("ay", "consulting");
      const said = person.say("consult bee facts");
      await until(async () => JSON.stringify(await pair.tasksAt("bee")).includes("make facts"));
      await pair.ay.kill();
      await pair.ay.restart();
      pair.release("facts");
      expect((await person.answerTo(said)).markdown).toBe("made facts");
      expect(finals(person)).toHaveLength(1);
    });

    it(
      "when all have ended, then each result was delivered once, anchored to its request, and each task ran once",
      TIME,
      async () => {
        for (const { person, shown, said } of asked) {
          // Ordered behind everything else in its conversation.
          await person.answerTo(person.command("new"));
          const seen = unsolicited(person).map(({ markdown, anchor }) => [markdown, anchor?.summary, anchor?.channel]);
          expect(seen).toEqual(shown);
          expect(finals(person).filter(({ correlationId }) => correlationId !== undefined)).toHaveLength(said);
        }
        for (const at of ["ay", "bee"] as const) {
          const tasks = await pair.tasksAt(otherThan(at));
          const made = asked.filter((one) => one.at === at).map(({ what }) => `made ${what}`);
          const others = at === "ay" ? ["made facts"] : [];
          expect(tasks.map(answerOf).sort()).toEqual([...made, ...others].sort());
          expect(tasks.every(({ status }) => status?.state === TaskState.TASK_STATE_COMPLETED)).toBe(true);
        }
      },
    );
  });
};
