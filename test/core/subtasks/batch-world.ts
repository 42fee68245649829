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
import type { Fate, Plan } from "./any-batch.ts";
import { batchScript, fateOf, nameOf } from "./batch-script.ts";
import { repeatEnd, roles } from "./delegating.ts";

/** Short enough to be waited for; everything else about the gate is as in the product. */
const delegation = { ...defaultDelegation, interactiveCeilingMs: 250, graceMs: 30, depthBelowAgent: 2 };
const subjects = subjectsOf("default");

/** Cores on one backbone, on which one plan after the other is played. */
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

  /** On several backbones as in several processes. */
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
        checkpoint: (name, detail) => world.#hold(name, detail),
        stopGraceMs: 0,
      });
      world.#stops.push(() => core.stop());
    }
    return world;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  /** Plays a plan to its end. Resolves to its batch, if one was opened. */
  async play(plan: Plan): Promise<{ number: number; batch: Batch | undefined; conversation: Conversation }> {
    const number = this.#plans.push(plan) - 1;
    const conversation: Conversation = { channel: "web", room: `plan-${number}`, kind: "private" };
    const meddling = plan.fates.map((fate, index) => this.#meddle(fate, nameOf(number, index), number));
    await this.#receive(`m-${number}`, `plan ${number}`, conversation);
    await this.#final(`m-${number}`);
    await Promise.all(meddling);
    const batch = await this.#settled(conversation);
    await this.replies.until(() => this.finals(conversation).length >= expectedFinals(batch));
    await this.replies.until((all) =>
      all.some(({ kind, audience }) => kind === "completion" && isIn(audience.conversation, conversation)),
    );
    // Behind everything else in the conversation: what is not there now never comes.
    await this.#receive(`last-${number}`, "", conversation, "help");
    await this.#final(`last-${number}`);
    return { number, batch, conversation };
  }

  finals(conversation: Conversation): AgentReply[] {
    return this.replies.items.filter(
      ({ kind, audience }) => kind === "final" && isIn(audience.conversation, conversation),
    );
  }

  /** The subtasks of a subtask, once all of them have ended: nobody waits for those of one that was cut off. */
  async children(id: string): Promise<Subtask[]> {
    const place = { tenant: "default", agent: AGENT };
    const { batches } = await readOwner(this.backbone.store, { ...place, ownerId: id });
    const ids = Object.values(batches).flatMap(({ members }) => members.map((member) => member.id));
    for (;;) {
      const children = await readSubtasks(this.backbone.store, place, ids);
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

  /** Refines, cancels, and repeats messages, from outside. */
  async #meddle(fate: Fate, name: string, number: number): Promise<void> {
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
    if (!fate.toldTwice) return;
    const { id = "" } = (await seen("ended")) ?? {};
    await repeatEnd({ backbone: this.backbone }, id);
  }

  /** A word to the owner is held back until its batch has fired, or could no more. */
  async #hold(name: string, detail: string | undefined): Promise<void> {
    if (name !== "end.received" || detail === undefined) return;
    const subtask = this.changes.items.find(({ id }) => id === detail);
    if (!fateOf(this.#plans, subtask?.name)?.heldBack) return;
    await new Promise((over) => setTimeout(over, 2 * delegation.interactiveCeilingMs));
  }
}

const isIn = (a: Conversation, b: Conversation): boolean => conversationKey(a) === conversationKey(b);

const isAt = ({ status }: Subtask, wanted: string): boolean =>
  wanted === "ended" ? !["pending", "running"].includes(status) : status === wanted;

/** The announcement, the one answer, the one follow-up, and a word for each that reports alone. */
export const expectedFinals = (batch: Batch | undefined): number => {
  if (batch === undefined) return 1;
  const alone = batch.members.filter(({ reports, awaitedBy }) => reports === "alone" && awaitedBy === undefined).length;
  return 1 + alone + (batch.firedAt === undefined ? 0 : 1) + (batch.amendedAt === undefined ? 0 : 1);
};
