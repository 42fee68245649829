import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { GRANTED, MAIL, mailTool, type Run, sendsMail, TOOL } from "../../core/approvals/approvals-under-test.ts";
import { userMessage } from "../../core/core-under-test.ts";
import { roles } from "../../core/subtasks/delegating.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { AdminRig, acmeAdmin } from "./admin-rig.ts";
import { RunningAgent } from "./running-agent.ts";

let rig: AdminRig;
let agent: RunningAgent;
beforeEach(async () => {
  rig = await AdminRig.open(systemClock);
  const tools = [mailTool(new Recorder<Run>())];
  agent = await RunningAgent.start(rig.backbone, roles({ primary: sendsMail() }), [], { tools, rights: GRANTED });
});
afterEach(async () => {
  await agent.stop();
  await rig.close();
});

const list = async (query = "", headers?: Record<string, string>) =>
  (await rig.call("GET", `approvals${query}`, undefined, headers)).body.items;

describe("given a call that waits for an approval (T4, U3)", () => {
  it("when operators list approvals, then they see tool and state but no arguments and no words of people", async () => {
    await agent.say("m-1", "send my secret plan");
    const isRequest = ({ reply }: { reply: { id: string } }) => reply.id.endsWith("/request");
    const shown = await agent.channel.deliveries.until((all) => all.some(isRequest));
    const [approval] = await list();
    expect(approval).toMatchObject({ tool: TOOL, state: "pending", agent: "mooring", asker: "Ann", channel: "web" });
    for (const hidden of ["secret plan", MAIL.to]) expect(JSON.stringify(approval)).not.toContain(hidden);
    expect(await list("", acmeAdmin)).toEqual([]);
    expect(shown.find(isRequest)?.reply.id).toBe(`${approval.id}/request`);

    const trace = async () => (await rig.call("GET", "traces/m-1")).body;
    expect(await trace()).toMatchObject({
      state: "running",
      turns: [{ steps: [{ calls: [{ name: TOOL, approval: "waits for an approval" }] }] }],
    });

    const command = { name: "approve", args: approval.id };
    await agent.channel.inbox?.accept(userMessage("press", "/approve", { command }));
    await agent.finals(2);
    while ((await trace()).state !== "ended") await new Promise(setImmediate);
    expect((await trace()).turns).toMatchObject([
      { steps: [{ calls: [{ name: TOOL, approval: "approved by Ann, done" }] }] },
      { trigger: "approval", outcome: "answered" },
    ]);
    expect(await list()).toEqual([]);
    expect(await list("?status=all")).toMatchObject([{ state: "ended", outcome: "done", decidedBy: "Ann" }]);
  });
});
