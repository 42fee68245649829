import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runApproved } from "../../../core/approvals/deciding/run-approved.ts";
import { type ApprovalDeps, AskingAgents } from "../../../core/approvals/deps.ts";
import { type Approval, approvalKey, digestOf, readApproval } from "../../../core/approvals/record/approval-record.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { createOnce } from "../../../core/contract/ports/update.ts";
import { BlockedAccounts } from "../../../core/rights/index.ts";
import type { Agent } from "../../../core/turns/index.ts";
import type { BackboneHarness, Deployment } from "../../contract/backbone-harness.ts";
import { Gate } from "../../fakes/model-answer.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { GRANTED, MAIL, mailTool, type Run, TOOL } from "./approvals-under-test.ts";

const AT = "2026-03-10T21:14:00.000Z";

const approvalOf = (id: string, fields: Partial<Approval>): Approval => {
  const bound = {
    id,
    tenant: "default",
    agent: "mooring",
    tool: TOOL,
    definition: "definition-1",
    input: JSON.stringify(MAIL),
  };
  const audience = {
    conversation: { channel: "web", room: "room-1", kind: "private" as const },
    personId: "p-1",
    accountId: "ann",
  };
  return {
    ...bound,
    digest: digestOf(bound),
    isDestructive: false,
    isRepeatable: false,
    request: "May I?",
    idempotencyKey: `${id}/0/0`,
    turnId: "t-1",
    sessionId: "s-1",
    traceId: "trace-1",
    origin: { channel: "web", promptSummary: "send the mail", startedAt: AT, sessionId: "s-1" },
    audience,
    asker: {
      personId: "p-1",
      accountId: "ann",
      name: "Ann",
      causes: [{ speaker: "member", channel: "web", id: "ann" }],
    },
    standing: { owner: { ownerType: "agent", ownerId: "s-1" }, rootTurnId: "t-1", depth: 0, background: false },
    asked: { agent: "mooring", audience, isHome: false },
    createdAt: AT,
    expiresAt: AT,
    decidedAt: AT,
    decidedBy: { name: "Ann", channel: "web", accountId: "ann", command: "t-2" },
    state: "approved",
    runs: 0,
    ...fields,
  };
};

/** The bus may give one decision to a second process while the first one, slow or paused, still handles it. */
export const runClaimContract = (harness: BackboneHarness): void => {
  describe(`given a decided call that two processes on ${harness.name} handle at the same moment (T4)`, () => {
    let deployment: Deployment;
    beforeAll(async () => {
      deployment = await harness.deploy();
    });
    afterAll(() => deployment.dispose());

    const processOn = ({ store, bus }: Backbone, runs: Recorder<Run>, gate: Gate): ApprovalDeps => {
      const run = async (input: unknown, context: Run["context"]) => {
        runs.add({ input, context });
        await gate.opened;
        return "sent";
      };
      const agent = { name: "mooring", tenant: "default", rights: GRANTED, tools: [mailTool(runs, { run })] };
      const asking = new AskingAgents();
      asking.add(agent as unknown as Agent, {});
      const { clock } = deployment;
      const ports = { store, bus, clock, logger: silentLogger, meter: silentMeter, checkpoint: async () => undefined };
      const blocked = new BlockedAccounts({ store, bus, clock, logger: silentLogger });
      return { ...ports, asking, blocked, stopping: new AbortController().signal } as unknown as ApprovalDeps;
    };

    it.each([
      ["was just approved", {}],
      ["a crash has interrupted, and may be repeated", { state: "running", runs: 1, isRepeatable: true }],
    ] as const)("when the call %s, then one of them runs it and the other leaves it alone", async (name, fields) => {
      const approval = approvalOf(`approval-${name.length.toString(16).padStart(12, "0")}`, fields);
      const [one, two] = [await deployment.open(), await deployment.open()];
      await createOnce(one.store, approvalKey(approval), approval);
      const runs = new Recorder<Run>();
      const gate = new Gate();
      // Both have read the record before either claims the run.
      const both = [one, two].map((backbone) => runApproved(processOn(backbone, runs, gate), approval));
      expect(await Promise.race([...both, runs.count(2)])).toBeUndefined();
      gate.release();
      const ended = (await Promise.all(both)).filter((result) => result !== undefined);
      expect(ended).toMatchObject([{ state: "ended", outcome: "done", output: "sent" }]);
      expect(runs.items.map(({ input, context }) => [input, context.idempotencyKey])).toEqual([
        [MAIL, approval.idempotencyKey],
      ]);
      expect(await readApproval(one.store, approval)).toMatchObject({ state: "ended", runs: (approval.runs ?? 0) + 1 });
    });
  });
};
