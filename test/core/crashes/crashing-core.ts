import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { type Notice, publishReply } from "../../../core/delivery/publish-reply.ts";
import type { WorkspaceOptions } from "../../../core/workspaces/workspaces.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { type ModelScript, ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import { type BackboneData, createBackboneData, type DataOptions, openBackbone } from "./backbone-data.ts";
import { type ChildOptions, CoreProcess } from "./core-process.ts";

type CoreOptions = Pick<ChildOptions, "delegation" | "approvals" | "agentUrl" | "agentWaitMs" | "mcpServers">;

/** A core that may crash at any time and is restarted; model, tool log and data outlive it. */
export class CrashingCore {
  readonly server: ScriptedModelServer;
  /** The replies that its processes received; a crash before the acknowledgement leads to a duplicate. */
  readonly received = new Recorder<AgentReply>();
  /** For processes that start from now on. */
  workspace: WorkspaceOptions | undefined;
  readonly #data: BackboneData;
  readonly #directory: string;
  readonly #options: CoreOptions;
  #process: CoreProcess | undefined;
  #starting: Promise<CoreProcess> | undefined;
  #readings = 0;

  private constructor(data: BackboneData, server: ScriptedModelServer, directory: string, options: CoreOptions) {
    this.#data = data;
    this.#options = options;
    this.server = server;
    this.#directory = directory;
  }

  static async deploy(
    kind: DataOptions["kind"],
    script: ModelScript,
    options: CoreOptions = {},
  ): Promise<CrashingCore> {
    const directory = await mkdtemp(join(tmpdir(), "mooring-crashing-"));
    return new CrashingCore(
      await createBackboneData[kind](),
      await ScriptedModelServer.start(script),
      directory,
      options,
    );
  }

  /** Resolves to the running process, and starts one if the last has exited. */
  async running(): Promise<CoreProcess> {
    if (this.#process?.isRunning) return this.#process;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<CoreProcess> {
    const { workspace, server } = this;
    const options = { data: this.#data.options, modelUrl: server.baseUrl, toolLog: this.#toolLog, workspace };
    this.#process = await CoreProcess.start({ ...this.#options, ...options }, (reply) => this.received.add(reply));
    return this.#process;
  }

  /** Publishes with the same id until the message is stored, as a gateway does. */
  async receive(message: UserMessage): Promise<void> {
    for (let stored = false; !stored; ) {
      stored = await (await this.running()).publish(message).then(
        () => true,
        () => false,
      );
    }
  }

  async receivedReplyTo(messageId: string): Promise<AgentReply> {
    const isReply = ({ correlationId }: AgentReply) => correlationId === messageId;
    return (await this.received.until((replies) => replies.some(isReply))).find(isReply) as AgentReply;
  }

  /** The runs of both tools in one turn, with their idempotency keys. */
  async toolRuns(turnId: string): Promise<string[]> {
    const log = await readFile(this.#toolLog, "utf8").catch(() => "");
    return log.split("\n").filter((line) => line.includes(turnId));
  }

  /** Every run of a tool, in order. */
  async allToolRuns(): Promise<string[]> {
    const log = await readFile(this.#toolLog, "utf8").catch(() => "");
    return log.split("\n").filter((line) => line !== "");
  }

  /** All replies that were published in these conversations, as a new relay consumes them. Ends the process. */
  async publishedReplies(conversations: readonly Conversation[]): Promise<AgentReply[]> {
    await this.#end();
    const backbone = await openBackbone(this.#data.options);
    const published = new Recorder<AgentReply>();
    const name = `reader-${++this.#readings}`;
    const subject = subjectsOf("default").userResponse("mooring");
    await backbone.bus.consume(subject, { durable: name, concurrency: 1 }, async (reply) => {
      published.add(reply);
      return ack;
    });
    // The last reply of each conversation: all earlier ones have been read before it.
    await Promise.all(
      conversations.map((conversation, n) => publishReply(backbone.bus, last(`${name}-${n}`, conversation))),
    );
    const isLast = ({ id }: AgentReply) => id.startsWith("reader-");
    const isOfRun = ({ id }: AgentReply) => id.startsWith(`${name}-`);
    await published.until((replies) => replies.filter(isOfRun).length === conversations.length);
    await backbone.close();
    return published.items.filter((reply) => !isLast(reply));
  }

  /** Reads the stored data. Ends the process. */
  async inspect<T>(read: (backbone: Backbone) => Promise<T>): Promise<T> {
    await this.#end();
    const backbone = await openBackbone(this.#data.options);
    try {
      return await read(backbone);
    } finally {
      await backbone.close();
    }
  }

  async #end(): Promise<void> {
    if (this.#process?.isRunning) await this.#process.stop().catch(() => this.#process?.kill());
  }

  async dispose(): Promise<void> {
    await this.#process?.kill();
    await this.server.stop();
    await this.#data.dispose();
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
