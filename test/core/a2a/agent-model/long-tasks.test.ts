import { afterEach, describe, expect, it } from "vitest";
import { saveAnswer } from "../../../../core/a2a/agent-model/turn-task.ts";
import { LANGUAGES } from "../../../../core/contract/texts/texts.ts";
import { TaskState, type Work } from "../../../fakes/a2a/sdk-agent.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { userMessage } from "../../core-under-test.ts";
import { asTimePasses, untilUnsolicited } from "../peers-under-test.ts";
import { answeredBy, type HostedPair, startHosted, stopHosted } from "./agent-under-test.ts";

const WAIT_MS = 50_000;
const DEADLINE_MS = 7_200_000;

let pair: HostedPair;
let gate: Gate;
afterEach(async () => {
  gate.release();
  await stopHosted(pair);
});

const endpoint = { waitMs: WAIT_MS, deadlineMs: DEADLINE_MS };

/** Works until the gate opens, then ends as told; answers every other message at once. */
const start = async (end: (work: Work) => void, options: Parameters<typeof startHosted>[1] = {}) => {
  gate = new Gate();
  pair = await startHosted(
    async (work) => {
      if (work.text !== "long") return work.answer(`You said: ${work.text}`);
      work.status(TaskState.TASK_STATE_WORKING, "digging");
      await gate.opened;
      end(work);
    },
    { endpoint, ...options },
  );
  return pair;
};

const askUntilLate = async (more: Parameters<typeof userMessage>[2] = {}): Promise<string> => {
  const { core } = pair;
  await core.receive(userMessage("m-1", "long", more));
  // The progress is shown once the id of the task is stored.
  await core.signals.until((signals) => signals.some(({ type }) => type === "delta"));
  await core.clock.passNext(WAIT_MS);
  return (await core.replyTo("m-1")).markdown;
};

/** Not the timeouts of requests, which are longer. */
const isPoll = (ms: number): boolean => ms >= 500 && ms <= 8_000;
const late = () => asTimePasses(pair.core, untilUnsolicited(pair.core), isPoll);

describe("given an agent elsewhere whose task takes longer than a turn waits (T6)", () => {
  it("when the wait is over, then the person can go on, and the answer is delivered later with its origin", async () => {
    const { core, agent } = await start((work) => work.answer("found it"));
    expect(await askUntilLate()).toContain("still working on this");
    expect((await core.ask("m-2", "hello")).markdown).toBe("You said: hello");
    gate.release();
    const [reply, ...more] = await late();
    expect(reply).toMatchObject({ markdown: "found it", outcome: "answered", origin: { promptSummary: "long" } });
    expect(more).toEqual([]);
    expect(agent.cancelled.items).toEqual([]);
    expect(agent.received).toHaveLength(2);
  });

  it("when another process takes over, then it delivers the answer", async () => {
    const { core, agent } = await start((work) => work.answer("found it"));
    await askUntilLate();
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;
    gate.release();
    const next = await core.startCore({ agent: { model: answeredBy(agent.url, endpoint) } });
    expect((await late()).map(({ markdown }) => markdown)).toEqual(["found it"]);
    await next.stop();
  });

  it("when it ends with a question, then the person's next message answers that task", async () => {
    const { core, agent } = await start((work) =>
      work.round === 1 ? work.status(TaskState.TASK_STATE_INPUT_REQUIRED, "Which ship?") : work.answer("Done."),
    );
    await askUntilLate();
    gate.release();
    expect((await late())[0]?.markdown).toBe("Which ship?");
    await core.ask("m-2", "the red one");
    expect(agent.received[1]?.taskId).toBe(agent.received[0]?.taskId || agent.received[1]?.taskId);
    expect(agent.received[1]?.taskId).not.toBe("");
  });

  it("when it fails, or its task is lost, then the person learns that", async () => {
    await start((work) => work.status(TaskState.TASK_STATE_FAILED, "the mine has collapsed"));
    await askUntilLate();
    gate.release();
    expect((await late())[0]?.markdown).toContain("could not finish this: the mine has collapsed");
    await stopHosted(pair);

    await start((work) => work.answer("never sent"));
    await askUntilLate();
    pair.agent.restart();
    expect((await late())[0]?.markdown).toContain("no longer has this task");
  });

  it("when the deadline passes too, then the task is cancelled and the person learns that", async () => {
    const { core, agent } = await start((work) => work.answer("too late"));
    await askUntilLate();
    core.clock.advance(DEADLINE_MS);
    expect((await late())[0]?.markdown).toContain("did not finish in time");
    await agent.cancelled.count(1);
  });
});

describe("given a German person who asks an agent elsewhere", () => {
  const { agents } = LANGUAGES.de;
  const inGerman = { account: { id: "ann", name: "Ann", locale: "de-AT" } };

  it("when its task takes long and fails, then both notices are German, with the agent's own reason", async () => {
    await start((work) => work.status(TaskState.TASK_STATE_FAILED, "the mine has collapsed"));
    expect(await askUntilLate(inGerman)).toBe(agents.stillWorking);
    gate.release();
    expect((await late())[0]?.markdown).toBe(agents.ends.failed(": the mine has collapsed"));
  });

  it("when the deadline passes, then the notice is German and the task is cancelled", async () => {
    const { core, agent } = await start((work) => work.answer("too late"));
    await askUntilLate(inGerman);
    core.clock.advance(DEADLINE_MS);
    expect((await late())[0]?.markdown).toBe(agents.ends.timedOut(""));
    await agent.cancelled.count(1);
  });

  it("when an older process has stored the end as a text, then that is delivered and the task is cancelled", async () => {
    const { core, agent } = await start((work) => work.answer("too late"));
    await askUntilLate(inGerman);
    const turnId = (await core.replyTo("m-1")).id.split("/")[0] ?? "";
    const turn = { tenant: "default", agent: "mooring", turnId };
    const answer =
      "The agent that answers here did not finish in time, so I cancelled its task. Try asking for it in smaller steps.";
    await saveAnswer(core.backbone.store, turn, { answer });
    expect((await late())[0]?.markdown).toBe(answer);
    await agent.cancelled.count(1);
  });
});

describe("given an agent elsewhere that cannot be reached when its task must be cancelled (T6)", () => {
  it("when it can be reached again, then it gets the cancellation", async () => {
    const { core, agent } = await start((work) => work.answer("too late"), {
      endpoint: { waitMs: WAIT_MS, deadlineMs: WAIT_MS },
    });
    let refused = 0;
    agent.options = {
      intercept: (_request, response, body) => {
        if (!body.includes("CancelTask") || refused === 2) return false;
        refused++;
        response.writeHead(503).end();
        return true;
      },
    };
    expect(await askUntilLate()).toContain("did not finish in time");
    await asTimePasses(core, agent.cancelled.count(1), isPoll);
    expect(refused).toBe(2);
  });
});
