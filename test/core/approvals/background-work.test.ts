import { afterEach, describe, expect, it } from "vitest";
import { inboundMessage } from "../../../core/a2a/inbound/inbound-call.ts";
import { taskKey } from "../../../core/a2a/inbound/inbound-task.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { Rights } from "../../../core/rights/rights.ts";
import { DelegationConfig } from "../../../core/turns/limits/agent-limits.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { ScriptedModel } from "../../fakes/scripted-model.ts";
import { inboundCall } from "../a2a/inbound/inbound-call-sample.ts";
import { ASYNC, PEER, sends } from "../a2a/peers-under-test.ts";
import { AGENT, userMessage } from "../core-under-test.ts";
import { backgroundTask, delegates, roles } from "../subtasks/delegating.ts";
import { ApprovalsUnderTest, GRANTED, idOf, ROOM, sendsMail, TOOL } from "./approvals-under-test.ts";

let approvals: ApprovalsUnderTest;
afterEach(() => approvals.core.dispose());

/** How long `cancel` gathers the running turns of all processes. */
const GATHER_MS = 150;
const OLGA = { account: { id: "olga", name: "Olga" } };
const HOME = { conversation: { channel: "web", room: "home", kind: "shared" as const } };
const toolResults = (model = approvals.core.model) =>
  model.requests.items.flatMap(({ messages }) =>
    messages.flatMap((message) => (message.role === "tool" ? message.results : [])),
  );

describe("given a subtask that calls a tool that asks first (T4, S10)", () => {
  const subtaskRoles = {
    primary: delegates(["mail"], "on it"),
    subagent: sendsMail(),
    continuation: ({ text }: { text: string }) => `outcome: ${text}`,
  };

  it("when the call is approved in time, then the subtask gets the outcome and its result follows", async () => {
    approvals = await ApprovalsUnderTest.start({
      roles: {
        ...subtaskRoles,
        subagent: (asked) =>
          asked.text.startsWith("[outcome of a call") ? `noted: ${asked.text}` : sendsMail()(asked),
      },
    });
    await approvals.core.ask("m-1", "send by subtask");
    const request = await approvals.request(0);
    await approvals.press(request, "Approve");
    const final = await approvals.final();
    expect(final.markdown).toContain("noted: [outcome of a call that waited for an approval]");
    expect(final.markdown).toContain(`${idOf(request)}): approved by Ann, done`);
    expect(final.cause?.trigger).toBe("synthesis");
    expect(approvals.runs.items).toHaveLength(1);
    expect(approvals.finals).toHaveLength(1);
  });

  it("when the subtask has reached its ceiling before, then the session gets the outcome (L1)", async () => {
    const delegation = { interactiveCeilingMs: 1_000, graceMs: 10 };
    approvals = await ApprovalsUnderTest.start({
      heldByClock: true,
      roles: subtaskRoles,
      agent: { delegation: DelegationConfig.parse(delegation) },
    });
    await approvals.core.ask("m-1", "send by subtask");
    const request = await approvals.request(0);
    const synthesis = approvals.final();
    let isFired = false;
    void synthesis.then(() => {
      isFired = true;
    });
    while (!isFired) {
      await Promise.race([synthesis, approvals.core.clock.passNextOf((ms) => ms > 0 && ms <= 3_000)]);
      await new Promise(setImmediate);
    }
    await approvals.press(request, "Approve");
    const late = await approvals.final(2);
    expect(late.cause?.trigger).toBe("approval");
    expect(late.markdown).toContain("approved by Ann, done\nsent");
    expect(approvals.runs.items).toHaveLength(1);
  });

  it("when the subtask is cancelled, then its request is withdrawn and a press runs nothing", async () => {
    approvals = await ApprovalsUnderTest.start({ roles: subtaskRoles });
    await approvals.core.ask("m-1", "send by subtask");
    const request = await approvals.request(0);
    const offered = await approvals.core.ask("c-1", "/cancel", { command: { name: "cancel", args: "" } });
    const id = offered.actions?.[0]?.value ?? "";
    await approvals.core.ask("c-2", `/cancel ${id}`, { command: { name: "cancel", args: id } });
    expect((await approvals.decisionOf(request)).markdown).toContain("Withdrawn, because the work was cancelled");
    expect((await approvals.press(request, "Approve")).markdown).toContain("withdrawn");
    expect(approvals.runs.items).toEqual([]);
  });
});

describe("given other work that calls a tool that asks first (T4)", () => {
  it("when `new` has started another session, then the outcome is reported with its origin", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask();
    await approvals.core.ask("n-1", "/new", { command: { name: "new", args: "" } });
    await approvals.press(request, "Approve");
    const final = await approvals.final();
    const { sessionId } = await approvals.core.replyTo("m-1");
    expect(final).toMatchObject({ sessionId, origin: { promptSummary: "send the mail", sessionId } });
  });

  it("when a schedule calls it, then its target is asked, its own text is suppressed, and one answer follows (L7)", async () => {
    const rights = new Rights({ member: ["default", "tool:*"] }, { operator: ["web:olga"] });
    approvals = await ApprovalsUnderTest.start({ agent: { rights } });
    const message = backgroundTask("run-1", "send the mail");
    const causes = [{ speaker: "operator" as const }];
    const operators = { ...message.synthetic, asker: { ...message.synthetic.asker, causes } };
    await approvals.core.receive({
      ...message,
      synthetic: { ...operators, audience: { conversation: ROOM, personId: null } },
    });
    // The operator of the configuration has no tools here.
    await approvals.core.model.requests.count(2);
    expect(approvals.requests).toEqual([]);
    const member = { ...operators, asker: { ...message.synthetic.asker, causes: [{ speaker: "member" as const }] } };
    await approvals.core.receive({
      ...message,
      id: "run-2",
      synthetic: { ...member, audience: { conversation: ROOM, personId: null } },
    });
    const request = await approvals.request(0);
    expect(request.audience.conversation).toEqual(ROOM);
    expect(request.markdown).toContain("For a schedule: “Morning brief”");
    await approvals.press(request, "Approve", OLGA);
    await approvals.core.replies.until((all) => all.some(({ cause }) => cause?.trigger === "approval"));
    expect(approvals.finals.filter(({ cause }) => cause?.turnId !== undefined).at(-1)).toMatchObject({
      origin: { channel: "scheduled" },
      audience: { conversation: ROOM },
    });
    expect(approvals.runs.items).toHaveLength(1);
  });

  it("when another agent's task calls it, then the agent's home is asked and the task gets the outcome", async () => {
    const rights = new Rights({ peer: ["default", "tool:*"] }, { operator: ["web:olga"] });
    approvals = await ApprovalsUnderTest.start({
      agent: { rights, home: HOME },
      roles: { primary: sendsMail() },
    });
    await approvals.core.receive(inboundMessage(inboundCall));
    const request = await approvals.request(0);
    expect(request.audience).toMatchObject({ conversation: HOME.conversation, personId: null });
    expect(request.markdown).toContain("For another agent: “crm”");
    const task = async () => (await approvals.core.backbone.store.get(taskKey(inboundCall)))?.value;
    while ((await task())?.state !== "working") await new Promise(setImmediate);
    expect((await approvals.press(request, "Approve")).markdown).toContain("cannot decide this one");
    await approvals.press(request, "Approve", OLGA);
    while ((await task())?.state === "working") await new Promise(setImmediate);
    expect(await task()).toMatchObject({ state: "completed" });
    expect((await task())?.answer).toContain("approved by Olga, done");
    expect(approvals.finals).toEqual([]);
  });

  it("when another agent's task calls it and the agent has no home, then the call is denied at once", async () => {
    const rights = new Rights({ peer: ["default", "tool:*"] });
    approvals = await ApprovalsUnderTest.start({ agent: { rights } });
    await approvals.core.receive(inboundMessage(inboundCall));
    await approvals.core.model.requests.count(2);
    expect(toolResults().at(-1)).toMatchObject({ name: TOOL, failed: true });
    expect(toolResults().at(-1)?.output).toContain("no conversation in which to ask");
    expect(approvals.requests).toEqual([]);
  });

  it("when an agent of this deployment calls it for another one, then the person is asked where the work began", async () => {
    const peer = new ScriptedModel(
      roles({
        primary: sendsMail(),
        continuation: ({ text, outputs, request }) =>
          text.startsWith("[message from") ? sendsMail()({ text, outputs, request }) : `done: ${text}`,
      }),
    );
    const peerRights = new Rights({ member: ["default", "tool:*"], peer: ["default", "tool:*"] });
    approvals = await ApprovalsUnderTest.start({
      tenants: ASYNC,
      roles: {
        primary: sends({ message: "send it", msg_type: "task_delegate" }),
        continuation: ({ text }) => `told: ${text}`,
      },
      agent: { rights: GRANTED, peers: [PEER] },
      others: [{ name: PEER, tenant: "default", model: peer, peers: [AGENT], rights: peerRights }],
    });
    await approvals.core.ask("m-1", "send by the other agent");
    const request = await approvals.request(0);
    expect(request).toMatchObject({ agent: AGENT, audience: { conversation: { room: "room-1" } } });
    expect(request.actions?.map(({ label }) => label)).toEqual(["Approve", "Deny"]);
    await approvals.press(request, "Approve");
    const final = await approvals.final();
    expect(final.markdown).toContain("approved by Ann, done");
    expect(approvals.runs.items).toMatchObject([{ context: { agent: PEER } }]);
    expect(approvals.finals).toHaveLength(1);
  });

  it("when the person stops the answer that made the call, then the request is withdrawn", async () => {
    approvals = await ApprovalsUnderTest.start({
      roles: {
        primary: ({ outputs, ...asked }) => (outputs.length === 0 ? sendsMail()({ outputs, ...asked }) : hangs),
      },
    });
    await approvals.core.receive(userMessage("m-1", "send the mail"));
    const request = await approvals.request(0);
    const reported = new Recorder<string>();
    const { bus } = approvals.core.backbone;
    const subjects = subjectsOf("default");
    const listening = await bus.listen(subjects.turnsReported(AGENT), ({ ask }) => reported.add(ask));
    const cancel = userMessage("c-1", "/cancel answer", { command: { name: "cancel", args: "answer" } });
    // Under its own key, as the inbox publishes commands: otherwise it would wait for the answer that it stops.
    await bus.publish(subjects.userMessage(AGENT), cancel, { id: "c-1", key: "commands" });
    await reported.count(1);
    await approvals.core.clock.passNext(GATHER_MS);
    listening.close();
    expect((await approvals.decisionOf(request)).markdown).toContain("Withdrawn");
    expect(approvals.runs.items).toEqual([]);
  });
});

const hangs = ({ signal }: { signal: AbortSignal }): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
