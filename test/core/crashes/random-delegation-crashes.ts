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
import { batchScript, nameOf } from "../subtasks/batch-script.ts";
import { roles } from "../subtasks/delegating.ts";
import { aPlan, type Plan } from "../subtasks/random-batch.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";
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

/** The checkpoint at which a process crashes; each process gets the next one of the list. */
interface Crash {
  readonly at: string;
  readonly nth: number;
}
interface Run {
  readonly plan: Plan;
  readonly crashes: readonly Crash[];
}

const aRun: fc.Arbitrary<Run> = fc.record({
  plan: aPlan,
  // Fewer than the attempts after which a message is a dead letter.
  crashes: fc.array(fc.record({ at: fc.constantFrom(...CHECKPOINTS), nth: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** The ceiling is mostly longer than the start of a process, and short enough for the test to reach it. */
const delegation = { ...defaultDelegation, interactiveCeilingMs: 3_000, graceMs: 100, depthBelowAgent: 2 };
const agentRef = { tenant: "default", agent: "mooring" };
const SPAWNED = /(subtask-[0-9a-f]{8}): (p\d+s\d+)$/gm;
const namesIn = (text: string): string[] => [...text.matchAll(/\b(p\d+s\d+)\b/g)].map(([, name = ""]) => name);

/** Random batches with random crashes lead to one answer, and no result is reported twice (B5, S7, S11). */
export const randomDelegationCrashes = (kind: DataOptions["kind"], fewest: number): void => {
  const runs = propertyRuns(fewest);
  describe(`given a core on ${kind} that crashes at random checkpoints while subtasks run (F2)`, () => {
    const plans: Plan[] = [];
    const spawned = new Recorder<{ id: string; name: string }>();
    let core: CrashingCore;
    beforeAll(async () => {
      const script = servedScript(roles(batchScript(plans)));
      const recording = (request: ModelRequest) => {
        for (const [, id = "", name = ""] of request.toolOutputs.join().matchAll(SPAWNED)) spawned.add({ id, name });
        return script(request);
      };
      core = await CrashingCore.deploy(kind, recording, { delegation });
    });
    afterAll(() => core.dispose());

    const repliesIn = ({ room }: Conversation) =>
      core.received.items.filter(({ audience }) => audience.conversation.room === room);

    /** Refines and cancels as planned from another session of the asker, once the ids are known. */
    const intervene = async (number: number): Promise<void> => {
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

    /** Crashes one process after the other as planned, until the answer and the completion are published. */
    const execute = async ({ crashes }: Run, number: number, conversation: Conversation): Promise<void> => {
      const left = [...crashes];
      const arm = async () => {
        const crash = left.shift();
        const process = await core.running();
        if (crash !== undefined) await process.crashAt(crash.at, crash.nth).catch(() => undefined);
        return process;
      };
      let process = await arm();
      await core.receive(userMessage(`run ${number}`, `plan ${number}`, { conversation }));
      const replied = core.received.until(() => {
        const replies = repliesIn(conversation);
        const isAnswered = replies.some(({ correlationId }) => correlationId === `run ${number}`);
        return isAnswered && replies.some((reply) => reply.kind === "completion");
      });
      const over = Promise.all([replied, intervene(number)]).then(() => true);
      while (!(await Promise.race([over, process.exited.then(() => false)]))) process = await arm();
    };

    /** Waits until everything queued in the conversation is handled, across crashes. */
    const catchUp = async (number: number, conversation: Conversation, nth: number): Promise<void> => {
      const id = `after ${number}/${nth}`;
      await core.receive(userMessage(id, "", { conversation, command: { name: "help", args: "" } }));
      const answered = core.receivedReplyTo(id).then(() => true);
      for (let isAnswered = false; !isAnswered; ) {
        const { exited } = await core.running();
        isAnswered = await Promise.race([answered, exited.then(() => false)]);
      }
    };

    const outcome = async (conversation: Conversation) => {
      const found = await core.inspect(({ store }) => stored(store, conversation));
      const published = await core.publishedReplies([conversation]);
      return { ...found, replies: distinct(published.filter(({ audience }) => isIn(audience, conversation))) };
    };

    const check = async (run: Run): Promise<void> => {
      const number = plans.push(run.plan) - 1;
      const conversation: Conversation = { channel: "web", room: `run-${number}`, kind: "private" };
      await execute(run, number, conversation);
      // Replies that were not yet published follow from the next process.
      for (let nth = 0; ; nth++) {
        await catchUp(number, conversation, nth);
        const { batch, subtasks, returned, replies } = await outcome(conversation);
        const proactive = unsolicited(replies);
        if (batch === undefined || !isSettled(batch) || proactive.length < expectedReplies(batch).length) continue;

        expect(batch.members).toHaveLength(run.plan.fates.length);
        // A tool call has returned the result of each member that it took out of the batch.
        const awaited = batch.members.filter(({ awaitedBy }) => awaitedBy !== undefined).map(({ name }) => name);
        expect(returned.sort()).toEqual(awaited.sort());
        expect(subtasks.filter((subtask) => !hasEnded(subtask)).map(({ name }) => name)).toEqual([]);
        expect(proactive.map(({ markdown }) => namesIn(markdown).sort().join()).sort()).toEqual(
          expectedReplies(batch).sort(),
        );
        const answers = replies.filter(({ correlationId }) => correlationId === `run ${number}`);
        expect(answers.map(({ kind: replyKind }) => replyKind)).toEqual(["final"]);
        expect(replies.filter((reply) => reply.kind === "completion")).toHaveLength(1);
        return;
      }
    };

    it("when the run ends, then every result is answered once, and all subtasks have ended", {
      timeout: 60_000 + 60_000 * runs.numRuns,
    }, async () => {
      await fc.assert(fc.asyncProperty(aRun, check), runs);
    });
  });
};

interface Found {
  readonly batch?: Batch;
  readonly subtasks: readonly Subtask[];
  /** The names of subtasks whose results tool calls have returned. */
  readonly returned: string[];
}

/** The batch of the only turn of the conversation, with its subtasks and their children. */
const stored = async (store: Store, conversation: Conversation): Promise<Found> => {
  const membersOf = async (ownerId: string) =>
    Object.values((await readOwner(store, { ...agentRef, ownerId })).batches);
  const sessionId = firstSessionId({ ...agentRef, conversation });
  const [batch] = await membersOf(sessionId);
  if (batch === undefined) return { subtasks: [], returned: [] };
  const children = await Promise.all(batch.members.map(({ id }) => membersOf(id)));
  const ids = [batch, ...children.flat()].flatMap(({ members }) => members.map(({ id }) => id));
  const { entries } = await new SessionHistory(store).window(sessionId);
  const outputs = entries
    .flatMap((entry) => (entry.kind === "turn" ? entry.messages : []))
    .flatMap((message) => (message.role === "tool" ? message.results.map(({ output }) => output) : []));
  const returned = outputs.flatMap((output) => [...output.matchAll(/^### (\w+)/gm)].map(([, name = ""]) => name));
  return { batch, subtasks: await readSubtasks(store, agentRef, ids), returned };
};

/** The names in each expected reply: the answer, the follow-up, and a reply for each subtask that reports alone. */
const expectedReplies = (batch: Batch): string[] => {
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

/** Drops duplicates by id, as channels do. */
const distinct = (replies: readonly AgentReply[]): AgentReply[] => [
  ...new Map(replies.map((reply) => [reply.id, reply])).values(),
];
