import { afterEach, describe, expect, it } from "vitest";
import { historyKey } from "../../../../core/sessions/session-window.ts";
import { TaskState } from "../../../fakes/a2a/sdk-agent.ts";
import { Gate } from "../../../fakes/model-answer.ts";
import { backgroundTask } from "../../subtasks/delegating.ts";
import { asks, untilUnsolicitedAsTimePasses } from "../peers-under-test.ts";
import { callOf, type RemotePair, startRemote, stopRemote, to } from "./remote-under-test.ts";

let pair: RemotePair;
afterEach(() => stopRemote(pair));

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const entries = async ({ core }: RemotePair, sessionId: string): Promise<number> => {
  let count = 0;
  while ((await core.backbone.store.get(historyKey(sessionId, count))) !== undefined) count++;
  return count;
};

describe("given a schedule run that delegates to a remote agent (L7)", () => {
  it("when the answer arrives after six days, then the TTL of the whole run session is renewed", async () => {
    const counted = new Gate();
    pair = await startRemote(
      asks(to("count them", "task_delegate")),
      async (work) => {
        work.status(TaskState.TASK_STATE_WORKING, "counting");
        await counted.opened;
        work.answer("three ships");
      },
      { remoteAgent: { capabilities: { streaming: false } }, peer: { deadlineMs: 7 * DAY } },
    );
    const { core, remote } = pair;
    await core.receive(backgroundTask("run-1", "brief me"));
    while (remote.received.length === 0) await new Promise(setImmediate);
    const run = (await callOf(pair))?.sessionId ?? "";
    while ((await entries(pair, run)) === 0) await new Promise(setImmediate);
    core.clock.advance(6 * DAY);
    counted.release();
    const [reply] = await untilUnsolicitedAsTimePasses(core);
    expect(reply).toMatchObject({ markdown: "told: three ships", sessionId: run, origin: { channel: "scheduled" } });
    expect(await entries(pair, run)).toBe(2);
    core.clock.advance(14 * DAY - HOUR);
    expect(await entries(pair, run)).toBe(2);
    core.clock.advance(2 * HOUR);
    expect(await entries(pair, run)).toBe(0);
  });
});
