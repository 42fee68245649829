import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { orderKey, type UserMessage } from "../../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { systemClock as clock } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../core/contract/ports/telemetry.ts";
import type { StepRequest } from "../../../core/model/step.ts";
import { startCore } from "../../../core/start-core.ts";
import { defaultDelegation, defaultPeering } from "../../../core/turns/limits/agent-limits.ts";
import type { Behaviour } from "../../fakes/a2a/sdk-agent.ts";
import { SdkAgent } from "../../fakes/a2a/sdk-agent.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { type Answer, calls, ScriptedModel } from "../../fakes/scripted-model.ts";
import { AGENT, userMessage } from "../core-under-test.ts";
import { type Asked, delegates, Held, roles } from "../subtasks/delegating.ts";
import { ASYNC, answerIn, PEER, sends, unsolicited } from "./peers-under-test.ts";
import { REMOTE } from "./remote/remote-under-test.ts";

/** Short timeouts, because this test uses the system clock; everything else is as in the product. */
const delegation = { ...defaultDelegation, interactiveCeilingMs: 300, graceMs: 30 };
const peering = { ...defaultPeering, lateWindowMs: 20 };
const subjects = subjectsOf("default");

/**
 * Two agents and a remote one, on as many cores as there are backbones. A message names the action: "delegate",
 * "notify", "consult" or "remote", "subtask" for one that asks the peer, or "think" for a turn that the test holds
 * open, and then the topic.
 */
export class PeerWorld {
  readonly backbone: Backbone;
  readonly remote: SdkAgent;
  readonly replies = new Recorder<AgentReply>();
  readonly model = new ScriptedModel(
    roles({
      primary: (asked) => this.#primary(asked),
      subagent: ({ outputs, text, request }) =>
        sends({ message: text, msg_type: "task_delegate" }, "waiting")({ outputs, text, request }),
      continuation: (asked) => this.#continuation(asked),
    }),
  );
  readonly peer = new ScriptedModel((request) => this.#harbour(request));
  readonly #helds = new Map<string, Held>();
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(backbone: Backbone, remote: SdkAgent) {
    this.backbone = backbone;
    this.remote = remote;
  }

  static async start(backbones: readonly Backbone[], behave: Behaviour): Promise<PeerWorld> {
    const [first] = backbones;
    if (first === undefined) throw new Error("there must be a backbone");
    const remote = await SdkAgent.start(behave);
    const world = new PeerWorld(first, remote);
    await first.bus.consume(subjects.userResponse(AGENT), { durable: "test", concurrency: 8 }, async (reply) => {
      world.replies.add(reply);
      return ack;
    });
    for (const backbone of backbones) {
      const shared = { tenant: "default", delegation, peering };
      const core = await startCore({
        backbone,
        agents: [
          { ...shared, name: AGENT, model: world.model, peers: [PEER, REMOTE] },
          { ...shared, name: PEER, model: world.peer, peers: [AGENT] },
        ],
        remote: { peers: [{ name: REMOTE, tenant: "default", url: remote.url }] },
        tenants: ASYNC,
        clock,
        logger,
        meter,
        stopGraceMs: 0,
      });
      world.#stops.push(() => core.stop());
    }
    return world;
  }

  /** Holds the answer about a topic until the test gives it. */
  held(topic: string): Held {
    const held = this.#helds.get(topic) ?? new Held();
    this.#helds.set(topic, held);
    return held;
  }

  /** Sends a message to a separate conversation, or to that of another message; resolves to the answer. */
  async ask(text: string, room = text): Promise<AgentReply> {
    await this.publish(messageOf(text, room));
    return this.#answerTo(text);
  }

  /** With another id, a repeated message passes the bus's deduplication. */
  async publish(message: UserMessage, id = message.id): Promise<void> {
    const key = orderKey(message);
    await this.backbone.bus.publish(subjects.userMessage(message.agent), message, { id, key });
  }

  /** The unsolicited replies to a message so far. */
  reported(text: string): AgentReply[] {
    return unsolicited(this.replies.items).filter(({ audience }) => audience.conversation.room === text);
  }

  async untilReported(text: string, count = 1): Promise<AgentReply[]> {
    await this.replies.until(() => this.reported(text).length >= count);
    return this.reported(text);
  }

  /** All unsolicited replies to a message, once a later command in its conversation was answered. */
  async settled(text: string): Promise<AgentReply[]> {
    const { conversation } = messageOf(text);
    const last = userMessage(`after ${text}`, text, { conversation, command: { name: "help", args: "" } });
    await this.publish(last);
    await this.#answerTo(last.id);
    return this.reported(text);
  }

  /** The peer's model requests about a topic. */
  stepsAbout(topic: string): StepRequest[] {
    return this.peer.requests.items.filter((request) => lastPromptIn(request).includes(topic));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
    await this.remote.stop();
  }

  async #answerTo(id: string): Promise<AgentReply> {
    const isIt = ({ correlationId }: AgentReply) => correlationId === id;
    return (await this.replies.until((all) => all.some(isIt))).find(isIt) as AgentReply;
  }

  #primary(asked: Asked): Answer {
    const [how = "", topic = ""] = asked.text.split(" ");
    if (how === "think") return this.held(topic).answer;
    if (how === "subtask") return delegates([topic], "on it")(asked);
    if (how === "remote") return sends({ agent: REMOTE, message: topic, msg_type: "task_delegate" })(asked);
    const msg_type = how === "delegate" ? "task_delegate" : how;
    return sends({ message: topic, msg_type }, ([output]) => `${output}`)(asked);
  }

  #continuation(asked: Asked): Answer {
    if (asked.text.includes("pingpong")) return sends({ message: "pingpong", msg_type: "notify" })(asked);
    return `${asked.text.startsWith("[late") ? "late" : "told"}: ${answerIn(asked.text)}`;
  }

  #harbour(request: StepRequest): Answer {
    const text = lastPromptIn(request);
    const topic = text.split(/\s/).at(-1) ?? "";
    if (topic === "busy") return request.toolChoice === "none" ? "that is all" : calls({ name: "list_working_memory" });
    if (topic === "pingpong" && request.messages.at(-1)?.role !== "tool") {
      return calls({
        name: "send_message_to_agent",
        input: { agent: AGENT, message: "pingpong", msg_type: "notify" },
      });
    }
    return this.#helds.get(topic)?.answer ?? `all about ${topic}`;
  }
}

const messageOf = (text: string, room = text): UserMessage =>
  userMessage(text, text, { conversation: { channel: "web", room, kind: "private" } });

const lastPromptIn = ({ messages }: StepRequest): string => {
  const last = messages.findLast(({ role }) => role === "user");
  return last?.role === "user" ? last.text : "";
};
