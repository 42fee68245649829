import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import type { Notice } from "../../../core/delivery/publish-reply.ts";
import { publishReply } from "../../../core/delivery/publish-reply.ts";
import type { WorkspaceOptions } from "../../../core/workspaces/workspaces.ts";
import { Recorder } from "../../fakes/recorder.ts";
import type { ModelScript } from "../../fakes/scripted-model-server.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import type { BackbonePlace, PlaceOptions } from "./backbone-place.ts";
import { openPlace, places } from "./backbone-place.ts";
import { type ChildOptions, CoreProcess } from "./core-process.ts";

type MortalOptions = Pick<ChildOptions, "delegation">;

/** A core that may die at any time and is started again; model, tool log and data outlive it. */
export class MortalCore {
  readonly server: ScriptedModelServer;
  /** As its processes heard them: one that died before it acknowledged is followed by one that hears it again. */
  readonly heard = new Recorder<AgentReply>();
  /** Of the processes that are started from now on. */
  workspace: WorkspaceOptions | undefined;
  readonly #place: BackbonePlace;
  readonly #directory: string;
  readonly #options: MortalOptions;
  #process: CoreProcess | undefined;
  #starting: Promise<CoreProcess> | undefined;
  #readings = 0;

  private constructor(place: BackbonePlace, server: ScriptedModelServer, directory: string, options: MortalOptions) {
    this.#place = place;
    this.#options = options;
    this.server = server;
    this.#directory = directory;
  }

  static async deploy(
    kind: PlaceOptions["kind"],
    script: ModelScript,
    options: MortalOptions = {},
  ): Promise<MortalCore> {
    const directory = await mkdtemp(join(tmpdir(), "mooring-mortal-"));
    return new MortalCore(await places[kind](), await ScriptedModelServer.start(script), directory, options);
  }

  /** The living process; a dead one is replaced first. */
  async alive(): Promise<CoreProcess> {
    if (this.#process?.isAlive) return this.#process;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<CoreProcess> {
    const { workspace, server } = this;
    const options = { place: this.#place.options, modelUrl: server.baseUrl, toolLog: this.#toolLog, workspace };
    this.#process = await CoreProcess.start({ ...this.#options, ...options }, (reply) => this.heard.add(reply));
    return this.#process;
  }

  /** As a gateway does it: again and again with the same id, until it is known to be stored. */
  async receive(message: UserMessage): Promise<void> {
    for (let stored = false; !stored; ) {
      stored = await (await this.alive()).publish(message).then(
        () => true,
        () => false,
      );
    }
  }

  async heardReplyTo(messageId: string): Promise<AgentReply> {
    const isReply = ({ correlationId }: AgentReply) => correlationId === messageId;
    return (await this.heard.until((replies) => replies.some(isReply))).find(isReply) as AgentReply;
  }

  /** The runs of both tools in one turn, with their idempotency keys. */
  async toolRuns(turnId: string): Promise<string[]> {
    const log = await readFile(this.#toolLog, "utf8").catch(() => "");
    return log.split("\n").filter((line) => line.includes(turnId));
  }

  /** Every reply that was ever published in these conversations, as a relay that begins now gets them. Ends the process. */
  async publishedReplies(conversations: readonly Conversation[]): Promise<AgentReply[]> {
    await this.#end();
    const backbone = await openPlace(this.#place.options);
    const published = new Recorder<AgentReply>();
    const name = `reader-${++this.#readings}`;
    const subject = subjectsOf("default").userResponse("mooring");
    await backbone.bus.consume(subject, { durable: name, concurrency: 1 }, async (reply) => {
      published.add(reply);
      return ack;
    });
    // Behind everything else in its conversation, so what was published before it has been read.
    await Promise.all(
      conversations.map((conversation, n) => publishReply(backbone.bus, last(`${name}-${n}`, conversation))),
    );
    const isLast = ({ id }: AgentReply) => id.startsWith("reader-");
    const isMine = ({ id }: AgentReply) => id.startsWith(`${name}-`);
    await published.until((replies) => replies.filter(isMine).length === conversations.length);
    await backbone.close();
    return published.items.filter((reply) => !isLast(reply));
  }

  /** A look at what is stored. Ends the process. */
  async inspect<T>(look: (backbone: Backbone) => Promise<T>): Promise<T> {
    await this.#end();
    const backbone = await openPlace(this.#place.options);
    try {
      return await look(backbone);
    } finally {
      await backbone.close();
    }
  }

  async #end(): Promise<void> {
    if (this.#process?.isAlive) await this.#process.stop().catch(() => this.#process?.kill());
  }

  async dispose(): Promise<void> {
    await this.#process?.kill();
    await this.server.stop();
    await this.#place.dispose();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get #toolLog(): string {
    return join(this.#directory, "tools.log");
  }
}

const last = (id: string, conversation: Conversation): Notice => ({
  id,
  tenant: "default",
  agent: "mooring",
  sessionId: null,
  kind: "notice",
  markdown: "",
  origin: null,
  audience: { conversation, personId: null },
  createdAt: "2026-03-10T21:14:00.000Z",
  traceId: id,
});
