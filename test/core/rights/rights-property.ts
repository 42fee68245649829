import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Cause } from "../../../core/contract/messages/work-context.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { Tool } from "../../../core/contract/tool.ts";
import type { StepRequest } from "../../../core/model/step.ts";
import type { RightsConfig } from "../../../core/rights/config.ts";
import { Rights } from "../../../core/rights/index.ts";
import { startCore } from "../../../core/start-core.ts";
import type { BackboneHarness, Deployment } from "../../contract/backbone-harness.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { sampleMessage } from "../../fakes/sample-message.ts";
import { type Answer, calls, ScriptedModel } from "../../fakes/scripted-model.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { mayDo } from "./rule-model.ts";

const PROBES = ["probe_read", "probe_write", "other"] as const;
const SPEAKERS = ["anonymous", "member"] as const;
const ACCOUNTS = ["ann", "bob"] as const;

const grants = fc.subarray(
  ["default", "delegate", "peers", "workspace", "tool:probe_read", "tool:probe_*", "tool:*", "tool:other"],
  { minLength: 0 },
);
const entries = ["anonymous", "member", "operator", "group:pilots", "web:ann", "peer", "peer:first"];
const rights = fc.dictionary(fc.constantFrom(...entries), grants);
const members = fc.subarray(ACCOUNTS.map((account) => `web:${account}`));
const plans = fc.record({
  first: rights,
  second: rights,
  groups: fc.record({ operator: members, pilots: members }),
  speaker: fc.constantFrom(...SPEAKERS),
  account: fc.constantFrom(...ACCOUNTS),
  via: fc.constantFrom("turn", "subtask", "peer", "subtask of the peer"),
});
type Plan = typeof plans extends fc.Arbitrary<infer P> ? P : never;

interface Run {
  readonly agent: string;
  readonly tool: string;
  readonly causes: readonly Cause[];
}

/** Calls every probe, and delegates along the path of the plan, also if a tool is not offered. */
const script =
  ({ via }: Plan, agent: "first" | "second") =>
  (request: StepRequest): Answer => {
    if (request.messages.at(-1)?.role === "tool") return "done";
    const isSubtask = request.tools.some(({ name }) => name === "complete_subtask");
    const last = request.messages.findLast(({ role }) => role === "user");
    if (last?.role === "user" && last.text.startsWith("[results")) return "in short";
    const delegates = !isSubtask && (via === "subtask" || (via === "subtask of the peer" && agent === "second"));
    const asks = !isSubtask && agent === "first" && via.endsWith("peer");
    return calls(
      ...PROBES.map((name) => ({ name })),
      ...(delegates ? [{ name: "spawn_subtask", input: { name: "part", prompt: "go", blocking: true } }] : []),
      ...(asks ? [{ name: "send_message_to_agent", input: { agent: "second", message: "go" } }] : []),
    );
  };

/** No work uses a tool, delegates or asks another agent without a grant for each of its causes (R1). */
export const rightsProperty = (harness: BackboneHarness, minRuns: number): void => {
  describe(`given any rights, speakers and paths of delegation on ${harness.name} (R1)`, () => {
    let deployment: Deployment;
    let backbone: Backbone;
    let world = 0;
    beforeAll(async () => {
      deployment = await harness.deploy();
      backbone = await deployment.open();
    });
    afterAll(() => deployment.dispose());

    const play = async (plan: Plan): Promise<Run[]> => {
      const tenant = `tenant-${world++}`;
      const runs: Run[] = [];
      const probe = (name: string): Tool => ({
        name,
        description: name,
        input: z.object({}),
        needs: `tool:${name}`,
        repeatable: true,
        run: async (_, { agent, asker }) => {
          runs.push({ agent, tool: name, causes: asker.causes ?? [] });
          return "ran";
        },
      });
      const agentOf = (role: "first" | "second", peer: string) => ({
        name: role,
        tenant,
        peers: [peer],
        model: new ScriptedModel(script(plan, role)),
        rights: new Rights(plan[role] as RightsConfig, plan.groups),
      });
      const replies = new Recorder<AgentReply>();
      const subjects = subjectsOf(tenant);
      const listener = await backbone.bus.consume(
        subjects.userResponse("first"),
        { durable: "test", concurrency: 4 },
        async (reply) => {
          replies.add(reply);
          return ack;
        },
      );
      const core = await startCore({
        backbone,
        agents: [agentOf("first", "second"), agentOf("second", "first")],
        tools: PROBES.map(probe),
        clock: systemClock,
        logger: silentLogger,
        meter: silentMeter,
      });
      const account = { id: plan.account, name: plan.account, anonymous: plan.speaker === "anonymous" };
      const message = sampleMessage({ id: `m-${world}`, tenant, agent: "first", account, text: "go" });
      const key = conversationKey(message.conversation);
      await backbone.bus.publish(subjects.userMessage("first"), message, { id: message.id, key });
      await replies.until((items) => items.some(({ correlationId }) => correlationId === message.id));
      await core.stop();
      await listener.close();
      return runs;
    };

    it("when work runs, then each call had a grant for every cause, and no granted call was refused", async () => {
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const speaker: Cause = { speaker: plan.speaker, channel: "web", id: plan.account };
          const peer: Cause = { speaker: "peer", id: "first" };
          const ofFirst = { rights: plan.first, groups: plan.groups };
          const ofSecond = { rights: plan.second, groups: plan.groups };
          const reachesPeer = plan.via.endsWith("peer") && mayDo(ofFirst, [speaker], "peers");
          const expected = PROBES.flatMap((tool) => {
            const need = `tool:${tool}`;
            const own = mayDo(ofFirst, [speaker], need) ? 1 : 0;
            const delegated = plan.via === "subtask" && mayDo(ofFirst, [speaker], "delegate") ? own : 0;
            const there = reachesPeer && mayDo(ofSecond, [speaker, peer], need) ? 1 : 0;
            const further =
              plan.via === "subtask of the peer" && mayDo(ofSecond, [speaker, peer], "delegate") ? there : 0;
            return [
              ...Array<string>(own + delegated).fill(`first ${tool}`),
              ...Array<string>(there + further).fill(`second ${tool}`),
            ];
          });
          const ran = await play(plan);
          expect(ran.map(({ agent, tool }) => `${agent} ${tool}`).sort()).toEqual(expected.sort());
          for (const { agent, causes } of ran) expect(causes).toHaveLength(agent === "first" ? 1 : 2);
        }),
        propertyRuns(minRuns),
      );
    });
  });
};
