import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/agent-reply.ts";
import type { Conversation } from "../../../core/contract/conversation.ts";
import { hasEnded } from "../../../core/contract/subtask.ts";
import { firstSessionId } from "../../../core/sessions/current-session.ts";
import { isSettled } from "../../../core/subtasks/batch.ts";
import { readOwner } from "../../../core/subtasks/owner-record.ts";
import { readSubtasks } from "../../../core/subtasks/subtask-record.ts";
import { calls, fails, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { userMessage } from "../core-under-test.ts";
import type { PlaceOptions } from "./backbone-place.ts";
import { MortalCore } from "./mortal-core.ts";

const CHECKPOINTS = [
  "intake.received",
  "turn.opened",
  "model.journaled",
  "tool.result",
  "spawn.reserved",
  "spawn.created",
  "spawn.published",
  "subtask.received",
  "subtask.claimed",
  "subtask.ended",
  "end.received",
  "end.counted",
  "subtask.reported",
  "batch.sealed",
  "batch.fired",
  "synthesis.published",
  "reply.before",
  "reply.published",
];

interface Fate {
  readonly ends: "text" | "complete" | "fail";
  readonly alone: boolean;
}
/** Where a process dies; the next one gets the next. */
interface Death {
  readonly at: string;
  readonly nth: number;
}
interface Life {
  readonly fates: readonly Fate[];
  readonly deaths: readonly Death[];
}

const aLife: fc.Arbitrary<Life> = fc.record({
  fates: fc.array(
    fc.record({
      ends: fc.constantFrom("text", "complete", "fail"),
      alone: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  // Fewer than the runs after which a message is given up.
  deaths: fc.array(fc.record({ at: fc.constantFrom(...CHECKPOINTS), nth: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
});

const nameOf = (life: number, index: number): string => `l${life}s${index}`;
const namesIn = (text: string): string[] => [...text.matchAll(/\b(l\d+s\d+)\b/g)].map(([, name = ""]) => name);
const place = { tenant: "default", agent: "mooring" };

/** Any batch, and any deaths on the way: one answer from all, and nothing is told twice (B5, S7, S11). */
export const delegationLives = (kind: PlaceOptions["kind"], fewest: number): void => {
  const runs = propertyRuns(fewest);
  describe(`given a core on ${kind} that dies anywhere while others work for it (F2)`, () => {
    const lives: Life[] = [];
    let core: MortalCore;
    beforeAll(async () => {
      core = await MortalCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    const script = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
      if (toolNames.includes("complete_subtask")) return work(lastUserText);
      if (lastUserText.startsWith("[")) {
        return says(`about ${[...lastUserText.matchAll(/### (\w+)/g)].map(([, name]) => name).join(" ")}`);
      }
      const number = Number(lastUserText.split(" ")[1]);
      if (toolOutputs.length > 0) return says(`announced ${number}`);
      const spawning = [false, true].flatMap((alone) => {
        const tasks = (lives[number]?.fates ?? []).flatMap((fate, index) =>
          fate.alone === alone ? { name: nameOf(number, index), prompt: `do ${nameOf(number, index)}` } : [],
        );
        return tasks.length === 0 ? [] : { name: "spawn_parallel_subtasks", arguments: { tasks, consolidate: !alone } };
      });
      return calls(spawning);
    };
    const work = (text: string): ModelAnswer => {
      const [, life, index] = /l(\d+)s(\d+)/.exec(text) ?? [];
      const ends = lives[Number(life)]?.fates[Number(index)]?.ends;
      if (ends === "fail") return fails(401);
      if (ends === "text") return says(`found ${text}`);
      return calls([{ name: "complete_subtask", arguments: { status: "success", output: `found ${text}` } }]);
    };

    /** Kills one process after the other as planned, until people have heard everything. */
    const live = async ({ fates, deaths }: Life, number: number, conversation: Conversation): Promise<void> => {
      const mine = () => core.heard.items.filter(({ audience }) => audience.conversation.room === conversation.room);
      const answers = new Set<string>();
      const isOver = () => {
        for (const { id, kind: said } of mine()) if (said === "final" || said === "completion") answers.add(id);
        return answers.size >= expectedReplies(fates);
      };
      const left = [...deaths];
      const arm = async () => {
        const death = left.shift();
        const process = await core.alive();
        if (death !== undefined) await process.dieAt(death.at, death.nth).catch(() => undefined);
        return process;
      };
      let process = await arm();
      await core.receive(userMessage(`life ${number}`, `life ${number}`, { conversation }));
      const over = core.heard.until(isOver).then(() => true);
      while (!(await Promise.race([over, process.exited.then(() => false)]))) process = await arm();
    };

    const check = async (life: Life): Promise<void> => {
      const number = lives.push(life) - 1;
      const conversation: Conversation = { channel: "web", room: `life-${number}`, kind: "private" };
      await live(life, number, conversation);
      const { batch, subtasks } = await core.inspect(async ({ store }) => {
        const ownerId = firstSessionId({ ...place, conversation });
        const [found] = Object.values((await readOwner(store, { ...place, ownerId })).batches);
        const ids = found?.members.map(({ id }) => id) ?? [];
        return { batch: found, subtasks: await readSubtasks(store, place, ids) };
      });
      expect(batch && isSettled(batch)).toBe(true);
      expect(subtasks).toHaveLength(life.fates.length);
      expect(subtasks.every(hasEnded)).toBe(true);

      const published = (await core.publishedReplies([conversation])).filter(
        ({ audience }) => audience.conversation.room === conversation.room,
      );
      const finals = distinct(published.filter((reply) => reply.kind === "final"));
      const names = (alone: boolean) =>
        life.fates.flatMap((fate, index) => (fate.alone === alone ? nameOf(number, index) : []));
      expect(finals.filter(({ correlationId }) => correlationId !== undefined).map(({ markdown }) => markdown)).toEqual(
        [`announced ${number}`],
      );
      const told = finals
        .filter(({ correlationId }) => correlationId === undefined)
        .map(({ markdown }) => namesIn(markdown));
      const together = names(false).length === 0 ? [] : [names(false)];
      expect(told.sort()).toEqual([...together, ...names(true).map((name) => [name])].sort());
      expect(distinct(published.filter((reply) => reply.kind === "completion"))).toHaveLength(1);
    };

    it("when it is lived to its end, then all is answered once, and everybody has ended", {
      timeout: 60_000 + 60_000 * runs.numRuns,
    }, async () => {
      await fc.assert(fc.asyncProperty(aLife, check), runs);
    });
  });
};

/** The announcement, the answer, a word for each that reports alone, and the last state of the activity entry. */
const expectedReplies = (fates: readonly Fate[]): number =>
  2 + fates.filter(({ alone }) => alone).length + (fates.some(({ alone }) => !alone) ? 1 : 0);

/** A reply that comes again under its own id, marked so, is known to whoever shows it. */
const distinct = (replies: readonly AgentReply[]): AgentReply[] => [
  ...new Map(replies.map((reply) => [reply.id, reply])).values(),
];
