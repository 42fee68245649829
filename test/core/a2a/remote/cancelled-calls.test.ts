import { afterEach, describe, expect, it } from "vitest";
import { inboundMessage } from "../../../../core/a2a/inbound/inbound-call.ts";
import { cancelTask } from "../../../../core/a2a/inbound/index.ts";
import { TaskState } from "../../../fakes/a2a/sdk-agent.ts";
import { userMessage } from "../../core-under-test.ts";
import { inboundCall } from "../inbound/inbound-call-sample.ts";
import { asks } from "../peers-under-test.ts";
import { callOf, REMOTE, type RemotePair, startRemote, stopRemote, to } from "./remote-under-test.ts";

let pair: RemotePair;
afterEach(() => stopRemote(pair));

/** A remote agent that works until its task is cancelled. */
const start = async () => {
  const works: Parameters<typeof startRemote>[1] = async (work) => {
    work.status(TaskState.TASK_STATE_WORKING, "counting");
    await new Promise(() => undefined);
  };
  const agent = { peers: [REMOTE], inbound: { noticeSkills: [] } };
  pair = await startRemote(asks(to("count them", "task_delegate")), works, { agent });
  return pair;
};

const accepted = async () => {
  while ((await callOf(pair))?.remote?.taskId === undefined) await new Promise(setImmediate);
};

/** Time to gather the running turns of all processes. */
const GATHER_MS = 150;

const cancelAll = async (id: string) => {
  const { core } = pair;
  await core.receive(userMessage(id, "", { command: { name: "cancel", args: "all" } }));
  await core.clock.passNext(GATHER_MS);
  return core.replyTo(id);
};

describe("given work that a remote agent does, through the SDK of the protocol", () => {
  it("when the person cancels everything, then the remote agent is asked to cancel its task, and no answer follows (I3)", async () => {
    const { core, remote } = await start();
    await core.ask("m-1", "go");
    await accepted();

    const { markdown } = await cancelAll("m-2");
    expect(markdown).toBe("I ended 1 call to another agent. Schedules and reminders stay: `/schedules` lists them.");
    await remote.cancelled.count(1);
    expect(await callOf(pair)).toMatchObject({ state: "failed", cancelledAt: expect.any(String) });

    const again = await cancelAll("m-3");
    expect(again.markdown).toMatch(/^I am not working on anything for you\./);
    const unsolicited = core.replies.items.filter(({ kind, correlationId }) => kind === "final" && !correlationId);
    expect(unsolicited).toEqual([]);
  });

  it("when another agent cancels the task that it gave us, then the cancellation goes downstream (I3, A8)", async () => {
    const { core, remote } = await start();
    await core.receive(inboundMessage(inboundCall));
    await accepted();
    await cancelTask({ ...core.backbone, clock: core.clock }, inboundCall);
    await remote.cancelled.count(1);
    expect(await callOf(pair)).toMatchObject({ state: "failed", cancelledAt: expect.any(String) });
  });
});
