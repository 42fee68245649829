import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { hasEnded, type Subtask } from "../../../core/contract/messages/subtask.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { firstSessionId } from "../../../core/sessions/current-session.ts";
import { SessionHistory } from "../../../core/sessions/session-history.ts";
import { type Batch, countedMembers, isSettled } from "../../../core/subtasks/owner/batch.ts";
import { readOwner } from "../../../core/subtasks/owner/owner-record.ts";
import { readSubtasks } from "../../../core/subtasks/record/subtask-record.ts";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { userMessage } from "../core-under-test.ts";
import { aPlan, type Plan } from "../subtasks/any-batch.ts";
import { batchScript, nameOf } from "../subtasks/batch-script.ts";
import { roles } from "../subtasks/delegating.ts";
import type { PlaceOptions } from "./backbone-place.ts";
import { MortalCore } from "./mortal-core.ts";
import { servedScript } from "./served-script.ts";

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
  "batch.stopped",
  "batch.fired",
  "synthesis.published",
  "reply.before",
  "reply.published",
];

/** Where a process dies; the next one gets the next. */
interface Death {
  readonly at: string;
  readonly nth: number;
}
interface Life {
  readonly plan: Plan;
  readonly deaths: readonly Death[];
}

const aLife: fc.Arbitrary<Life> = fc.record({
  plan: aPlan,
  // Fewer than the runs after which a message is given up.
  deaths: fc.array(fc.record({ at: fc.constantFrom(...CHECKPOINTS), nth: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** Longer than it takes to start a process, mostly; short enough to be waited for by those who are stuck. */
const delegation = { ...defaultDelegation, interactiveCeilingMs: 3_000, graceMs: 100, depthBelowAgent: 2 };
const place = { tenant: "default", agent: "mooring" };
const SPAWNED = /(subtask-[0-9a-f]{8}): (p\d+s\d+)$/gm;
const namesIn = (text: string): string[] => [...text.matchAll(/\b(p\d+s\d+)\b/g)].map(([, name = ""]) => name);

/** Any batch, and any deaths on the way: one answer from all, and nothing is told twice (B5, S7, S11). */
export const delegationLives = (kind: PlaceOptions["kind"], fewest: number): void => {
  const runs = propertyRuns(fewest);
  describe(`given a core on ${kind} that dies anywhere while others work for it (F2)`, () => {
    const plans: Plan[] = [];
    const spawned = new Recorder<{ id: string; name: string }>();
    let core: MortalCore;
    beforeAll(async () => {
      const script = servedScript(roles(batchScript(plans)));
      const noting = (request: ModelRequest) => {
        for (const [, id = "", name = ""] of request.toolOutputs.join().matchAll(SPAWNED)) spawned.add({ id, name });
        return script(request);
      };
      core = await MortalCore.deploy(kind, noting, { delegation });
    });
    afterAll(() => core.dispose());

    const heardIn = ({ room }: Conversation) =>
      core.heard.items.filter(({ audience }) => audience.conversation.room === room);

    /** Refines and cancels from another session of the asker, as soon as it is known what. */
    const meddle = async (number: number): Promise<void> => {
      const control: Conversation = { channel: "web", room: `control-${number}`, kind: "private" };
      for (const [index, fate] of plans[number]?.fates.entries() ?? []) {
        if (fate.reports === "blocking" || (!fate.refined && fate.cancelledBy !== "asker")) continue;
        const name = nameOf(number, index);
        const isIt = (one: { name: string }) => one.name === name;
        const { id = "" } = (await spawned.until((all) => all.some(isIt))).find(isIt) ?? {};
        if (fate.refined) await core.receive(userMessage(`tell-${name}`, `tell ${id}`, { conversation: control }));
        if (fate.cancelledBy !== "asker") continue;
        const command = { name: "cancel", args: id };
        await core.receive(userMessage(`cancel-${name}`, "", { conversation: control, command }));
      }
    };

    /** Kills one process after the other as planned, until it is all over, as far as people can see. */
    const live = async ({ deaths }: Life, number: number, conversation: Conversation): Promise<void> => {
      const left = [...deaths];
      const arm = async () => {
        const death = left.shift();
        const process = await core.alive();
        if (death !== undefined) await process.dieAt(death.at, death.nth).catch(() => undefined);
        return process;
      };
      let process = await arm();
      await core.receive(userMessage(`life ${number}`, `plan ${number}`, { conversation }));
      const heard = core.heard.until(() => {
        const mine = heardIn(conversation);
        const isAnswered = mine.some(({ correlationId }) => correlationId === `life ${number}`);
        return isAnswered && mine.some((reply) => reply.kind === "completion");
      });
      const over = Promise.all([heard, meddle(number)]).then(() => true);
      while (!(await Promise.race([over, process.exited.then(() => false)]))) process = await arm();
    };

    /** Behind everything that waits in the conversation, whoever dies meanwhile. */
    const catchUp = async (number: number, conversation: Conversation, nth: number): Promise<void> => {
      const id = `after ${number}/${nth}`;
      await core.receive(userMessage(id, "", { conversation, command: { name: "help", args: "" } }));
      const answered = core.heardReplyTo(id).then(() => true);
      for (let isHeard = false; !isHeard; ) {
        const { exited } = await core.alive();
        isHeard = await Promise.race([answered, exited.then(() => false)]);
      }
    };

    const outcome = async (conversation: Conversation) => {
      const found = await core.inspect(({ store }) => stored(store, conversation));
      const published = await core.publishedReplies([conversation]);
      return { ...found, replies: distinct(published.filter(({ audience }) => isIn(audience, conversation))) };
    };

    const check = async (life: Life): Promise<void> => {
      const number = plans.push(life.plan) - 1;
      const conversation: Conversation = { channel: "web", room: `life-${number}`, kind: "private" };
      await live(life, number, conversation);
      // What was still on its way when people had seen the last state comes with the next process.
      for (let nth = 0; ; nth++) {
        await catchUp(number, conversation, nth);
        const { batch, subtasks, returned, replies } = await outcome(conversation);
        const told = unsolicited(replies);
        if (batch === undefined || !isSettled(batch) || told.length < expectedWords(batch).length) continue;

        expect(batch.members).toHaveLength(life.plan.fates.length);
        // Whatever a call took out of the batch, its turn was told.
        const awaited = batch.members.filter(({ awaitedBy }) => awaitedBy !== undefined).map(({ name }) => name);
        expect(returned.sort()).toEqual(awaited.sort());
        expect(subtasks.filter((subtask) => !hasEnded(subtask)).map(({ name }) => name)).toEqual([]);
        expect(told.map(({ markdown }) => namesIn(markdown).sort().join()).sort()).toEqual(expectedWords(batch).sort());
        const answers = replies.filter(({ correlationId }) => correlationId === `life ${number}`);
        expect(answers.map(({ kind: said }) => said)).toEqual(["final"]);
        expect(replies.filter((reply) => reply.kind === "completion")).toHaveLength(1);
        return;
      }
    };

    it("when it is lived to its end, then all is answered once, and everybody has ended", {
      timeout: 60_000 + 60_000 * runs.numRuns,
    }, async () => {
      await fc.assert(fc.asyncProperty(aLife, check), runs);
    });
  });
};

interface Found {
  readonly batch?: Batch;
  readonly subtasks: readonly Subtask[];
  /** Names of those whose results calls have returned. */
  readonly returned: string[];
}

/** The batch of the conversation's one turn, with its subtasks and theirs. */
const stored = async (store: Store, conversation: Conversation): Promise<Found> => {
  const membersOf = async (ownerId: string) => Object.values((await readOwner(store, { ...place, ownerId })).batches);
  const sessionId = firstSessionId({ ...place, conversation });
  const [batch] = await membersOf(sessionId);
  if (batch === undefined) return { subtasks: [], returned: [] };
  const children = await Promise.all(batch.members.map(({ id }) => membersOf(id)));
  const ids = [batch, ...children.flat()].flatMap(({ members }) => members.map(({ id }) => id));
  const { entries } = await new SessionHistory(store).window(sessionId);
  const outputs = entries
    .flatMap((entry) => (entry.kind === "turn" ? entry.messages : []))
    .flatMap((message) => (message.role === "tool" ? message.results.map(({ output }) => output) : []));
  const returned = outputs.flatMap((output) => [...output.matchAll(/^### (\w+)/gm)].map(([, name = ""]) => name));
  return { batch, subtasks: await readSubtasks(store, place, ids), returned };
};

/** The one answer, the one follow-up, and a word for each that reports alone: the names that are in each. */
const expectedWords = (batch: Batch): string[] => {
  const counted = countedMembers(batch);
  const late = counted.filter((member) => member.late);
  const alone = batch.members.filter(({ reports, awaitedBy }) => reports === "alone" && awaitedBy === undefined);
  const together = [counted, late].filter((members) => members.length > 0);
  return [...together, ...alone.map((member) => [member])].map((members) =>
    members
      .map(({ name }) => name)
      .sort()
      .join(),
  );
};

const unsolicited = (replies: readonly AgentReply[]): AgentReply[] =>
  replies.filter(({ kind, correlationId }) => kind === "final" && correlationId === undefined);

const isIn = ({ conversation }: AgentReply["audience"], { room }: Conversation): boolean => conversation.room === room;

/** A reply that comes again under its own id, marked so, is known to whoever shows it. */
const distinct = (replies: readonly AgentReply[]): AgentReply[] => [
  ...new Map(replies.map((reply) => [reply.id, reply])).values(),
];
