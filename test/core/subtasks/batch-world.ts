import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { hasEnded, type Subtask } from "../../../core/contract/messages/subtask.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { firstSessionId } from "../../../core/sessions/current-session.ts";
import { startCore } from "../../../core/start-core.ts";
import type { Batch } from "../../../core/subtasks/owner/batch.ts";
import { isSettled } from "../../../core/subtasks/owner/batch.ts";
import { readOwner } from "../../../core/subtasks/owner/owner-record.ts";
import { readSubtasks } from "../../../core/subtasks/record/subtask-record.ts";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { ScriptedModel } from "../../fakes/scripted-model.ts";
import { AGENT, userMessage } from "../core-under-test.ts";
import { batchScript, fateOf, nameOf } from "./batch-script.ts";
import { repeatEnd, roles } from "./delegating.ts";
import type { Fate, Plan } from "./random-batch.ts";

/** Ceiling and grace are short; everything else about batches is as in the product. */
const delegation = { ...defaultDelegation, interactiveCeilingMs: 250, graceMs: 30, depthBelowAgent: 2 };
const subjects = subjectsOf("default");

/** Cores on one backbone that run one plan after the other. */
export class BatchWorld {
  readonly backbone: Backbone;
  readonly replies = new Recorder<AgentReply>();
  readonly changes = new Recorder<Subtask>();
  readonly model: ScriptedModel;
  readonly #plans: Plan[] = [];
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(backbone: Backbone) {
    this.backbone = backbone;
    this.model = new ScriptedModel(roles(batchScript(this.#plans)));
  }

  /** Several backbones stand for several processes. */
  static async start(backbones: readonly Backbone[]): Promise<BatchWorld> {
    const [first] = backbones;
    if (first === undefined) throw new Error("there must be a backbone");
    const world = new BatchWorld(first);
    await first.bus.consume(subjects.userResponse(AGENT), { durable: "test", concurrency: 8 }, async (reply) => {
      world.replies.add(reply);
      return ack;
    });
    await first.bus.listen(subjects.subtaskChanged(AGENT), (subtask) => world.changes.add(subtask));
    for (const backbone of backbones) {
      const core = await startCore({
        backbone,
        agents: [{ name: AGENT, tenant: "default", model: world.model, delegation }],
        clock: systemClock,
        logger: silentLogger,
        meter: silentMeter,
        checkpoint: (name, detail) => world.#delay(name, detail),
        stopGraceMs: 0,
      });
      world.#stops.push(() => core.stop());
    }
    return world;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  /** Runs a plan to its end. Resolves to its batch, if one was opened. */
  async play(plan: Plan): Promise<{ number: number; batch: Batch | undefined; conversation: Conversation }> {
    const number = this.#plans.push(plan) - 1;
    const conversation: Conversation = { channel: "web", room: `plan-${number}`, kind: "private" };
    const interventions = plan.fates.map((fate, index) => this.#intervene(fate, nameOf(number, index), number));
    await this.#receive(`m-${number}`, `plan ${number}`, conversation);
    await this.#final(`m-${number}`);
    await Promise.all(interventions);
    const batch = await this.#settled(conversation);
    await this.replies.until(() => this.finals(conversation).length >= expectedFinals(batch));
    await this.replies.until((all) =>
      all.some(({ kind, audience }) => kind === "completion" && isIn(audience.conversation, conversation)),
    );
    // Answered after everything else in the conversation: no reply can follow it.
    await this.#receive(`last-${number}`, "", conversation, "help");
    await this.#final(`last-${number}`);
    return { number, batch, conversation };
  }

  finals(conversation: Conversation): AgentReply[] {
    return this.replies.items.filter(
      ({ kind, audience }) => kind === "final" && isIn(audience.conversation, conversation),
    );
  }

  /** Resolves to the subtasks of a subtask once all have ended: a cancelled parent does not wait for them. */
  async children(id: string): Promise<Subtask[]> {
    const agentRef = { tenant: "default", agent: AGENT };
    const { batches } = await readOwner(this.backbone.store, { ...agentRef, ownerId: id });
    const ids = Object.values(batches).flatMap(({ members }) => members.map((member) => member.id));
    for (;;) {
      const children = await readSubtasks(this.backbone.store, agentRef, ids);
      if (children.every(hasEnded)) return children;
      await new Promise((next) => setTimeout(next, 5));
    }
  }

  async #settled(conversation: Conversation): Promise<Batch | undefined> {
    const ownerId = firstSessionId({ tenant: "default", agent: AGENT, conversation });
    for (;;) {
      const { batches } = await readOwner(this.backbone.store, { tenant: "default", agent: AGENT, ownerId });
      const [batch] = Object.values(batches);
      if (batch === undefined || isSettled(batch)) return batch;
      await new Promise((next) => setTimeout(next, 5));
    }
  }

  async #receive(id: string, text: string, conversation: Conversation, command?: string, args = ""): Promise<void> {
    const message = userMessage(id, text, { conversation, ...(command && { command: { name: command, args } }) });
    await this.backbone.bus.publish(subjects.userMessage(AGENT), message, { id, key: conversationKey(conversation) });
  }

  #final(id: string): Promise<unknown> {
    return this.replies.until((all) => all.some(({ correlationId }) => correlationId === id));
  }

  /** Refines, cancels and redelivers as planned, from another session. */
  async #intervene(fate: Fate, name: string, number: number): Promise<void> {
    const seen = async (status: string) =>
      (await this.changes.until((all) => all.some((one) => one.name === name && isAt(one, status)))).find(
        (one) => one.name === name,
      );
    const control = { channel: "web", room: `control-${number}`, kind: "private" as const };
    if (fate.cancelledBy === "asker" || fate.refined) {
      const { id = "" } = (await seen("running")) ?? {};
      if (fate.refined) await this.#receive(`tell-${name}`, `tell ${id}`, control);
      if (fate.cancelledBy === "asker") await this.#receive(`cancel-${name}`, "", control, "cancel", id);
    }
    if (!fate.endRedelivered) return;
    const { id = "" } = (await seen("ended")) ?? {};
    await repeatEnd({ backbone: this.backbone }, id);
  }

  /** Delays an end until its batch has fired or is complete. */
  async #delay(name: string, detail: string | undefined): Promise<void> {
    if (name !== "end.received" || detail === undefined) return;
    const subtask = this.changes.items.find(({ id }) => id === detail);
    if (!fateOf(this.#plans, subtask?.name)?.endDelayed) return;
    await new Promise((over) => setTimeout(over, 2 * delegation.interactiveCeilingMs));
  }
}

const isIn = (a: Conversation, b: Conversation): boolean => conversationKey(a) === conversationKey(b);

const isAt = ({ status }: Subtask, expected: string): boolean =>
  expected === "ended" ? !["pending", "running"].includes(status) : status === expected;

/** The announcement, one answer, one follow-up, and a final for each subtask that reports alone. */
export const expectedFinals = (batch: Batch | undefined): number => {
  if (batch === undefined) return 1;
  const alone = batch.members.filter(({ reports, awaitedBy }) => reports === "alone" && awaitedBy === undefined).length;
  return 1 + alone + (batch.firedAt === undefined ? 0 : 1) + (batch.amendedAt === undefined ? 0 : 1);
};
