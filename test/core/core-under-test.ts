import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedBackbone } from "../../core/backbone/embedded/open-embedded-backbone.ts";
import type { AgentReply } from "../../core/contract/messages/agent-reply.ts";
import { conversationKey } from "../../core/contract/messages/conversation.ts";
import type { UserSignal } from "../../core/contract/messages/signals.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import { ack } from "../../core/contract/ports/bus.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import type { AgentOptions, Core, CoreOptions } from "../../core/start-core.ts";
import { startCore } from "../../core/start-core.ts";
import { Recorder } from "../fakes/recorder.ts";
import { RecordingMeter } from "../fakes/recording-meter.ts";
import { type MessageFields, sampleMessage } from "../fakes/sample-message.ts";
import type { Script } from "../fakes/scripted-model.ts";
import { ScriptedModel } from "../fakes/scripted-model.ts";
import { WatchedClock } from "../fakes/watched-clock.ts";

const subjects = subjectsOf("default");
export const AGENT = "mooring";

export const userMessage = <F extends MessageFields = Record<never, never>>(id: string, text: string, rest?: F) =>
  sampleMessage({ ...(rest as F), id, text });

export interface TestOptions extends Partial<Omit<CoreOptions, "agents" | "backbone">> {
  readonly agent?: Partial<AgentOptions>;
  /** Other agents. */
  readonly others?: readonly AgentOptions[];
  readonly wrap?: (backbone: Backbone) => Backbone;
  /** The backbone uses the test's clock too, so that the test controls its delays. */
  readonly heldByClock?: boolean;
}

/** A running turn signals typing again after this time. */
export const TYPING_EVERY_MS = 4_500;

/** Core on its own embedded backbone, with a scripted model and a clock that the test controls. */
export class CoreUnderTest {
  readonly model: ScriptedModel;
  readonly clock: WatchedClock;
  readonly meter = new RecordingMeter();
  readonly replies = new Recorder<AgentReply>();
  readonly signals = new Recorder<UserSignal>();
  readonly backbone: Backbone;
  readonly #dataDir: string;
  #core: Core | undefined;

  private constructor(dataDir: string, clock: WatchedClock, backbone: Backbone, script: Script) {
    this.#dataDir = dataDir;
    this.clock = clock;
    this.backbone = backbone;
    this.model = new ScriptedModel(script);
  }

  static async start(script: Script = [], options: TestOptions = {}): Promise<CoreUnderTest> {
    const dataDir = await mkdtemp(join(tmpdir(), "mooring-core-"));
    const clock = new WatchedClock(Date.parse("2026-03-10T21:14:05Z"));
    const held = options.heldByClock ? { clock } : {};
    const backbone = await openEmbeddedBackbone({ dataDir, logger: silentLogger, failurePauseMs: 2, ...held });
    const started = new CoreUnderTest(dataDir, clock, backbone, script);
    await backbone.bus.consume(subjects.userResponse(AGENT), { durable: "test", concurrency: 8 }, async (reply) => {
      started.replies.add(reply);
      return ack;
    });
    await backbone.bus.listen(subjects.userSignal(AGENT), (signal) => started.signals.add(signal));
    started.#core = await started.startCore(options);
    return started;
  }

  /** Another core on the same backbone, as after a restart. */
  startCore({
    agent,
    others = [],
    wrap = (backbone) => backbone,
    heldByClock: _,
    ...options
  }: TestOptions = {}): Promise<Core> {
    return startCore({
      backbone: wrap(this.backbone),
      agents: [{ name: AGENT, tenant: "default", model: this.model, ...agent }, ...others],
      clock: this.clock,
      logger: silentLogger,
      meter: this.meter,
      ...options,
    });
  }

  /** Publishes as the gateway's inbox does. Another `publishId` is a duplicate that the bus does not recognise. */
  async receive(message: UserMessage, publishId = message.id): Promise<void> {
    const key = conversationKey(message.conversation);
    await this.backbone.bus.publish(subjects.userMessage(AGENT), message, { id: publishId, key });
  }

  /** The reply to a message that the agent receives now. */
  async ask(id: string, text: string, rest: MessageFields = {}): Promise<AgentReply> {
    await this.receive(userMessage(id, text, rest));
    return this.replyTo(id);
  }

  async replyTo(id: string): Promise<AgentReply> {
    const isReply = ({ correlationId }: AgentReply) => correlationId === id;
    const replies = await this.replies.until((items) => items.some(isReply));
    return replies.find(isReply) as AgentReply;
  }

  /** Lets the n-th pause between two attempts of the model pass. */
  passModelPause(nth: number): Promise<void> {
    return this.clock.pass(nth, { from: 1_000, to: 9_000, except: TYPING_EVERY_MS });
  }

  stopCore(): Promise<void> {
    return this.#core?.stop() ?? Promise.resolve();
  }

  async dispose(): Promise<void> {
    const stopped = this.stopCore();
    // Ends the grace time of turns that hang.
    this.clock.advance(10_000);
    await stopped;
    await this.backbone.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
