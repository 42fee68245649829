import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { ApprovalsConfig } from "../../../core/approvals/config.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { UserMessage } from "../../../core/contract/messages/user-message.ts";
import type { DelegationConfig } from "../../../core/turns/limits/agent-limits.ts";
import type { WorkspaceOptions } from "../../../core/workspaces/workspaces.ts";
import { childProgram } from "../../fakes/child-program.ts";
import type { DataOptions } from "./backbone-data.ts";

export interface ChildOptions {
  readonly data: DataOptions;
  readonly modelUrl: string;
  readonly toolLog: string;
  readonly workspace?: WorkspaceOptions | undefined;
  readonly delegation?: DelegationConfig;
  /** Address of an agent elsewhere that answers instead of the model. */
  readonly agentUrl?: string;
  /** How long a turn waits for that agent. */
  readonly agentWaitMs?: number;
  readonly approvals?: ApprovalsConfig;
  /** MCP servers of the agent, as the configuration has them. */
  readonly mcpServers?: object;
}

type Order = { do: "publish"; message: UserMessage } | { do: "crash"; at: string; nth: number } | { do: "stop" };
export type ToChild = Order & { call: number };
export type FromChild =
  | { say: "ready" }
  | { say: "reply"; reply: AgentReply }
  | { say: "done"; call: number }
  | { say: "failed"; call: number; error: string };

/** A child process with a core. Orders to it reject if it exits before they are done. */
export class CoreProcess {
  readonly exited: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #onReply: (reply: AgentReply) => void;
  readonly #calls = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  #calledSoFar = 0;

  private constructor(options: ChildOptions, onReply: (reply: AgentReply) => void) {
    const script = childProgram(new URL("./core-child.ts", import.meta.url));
    this.#onReply = onReply;
    this.#child = fork(script, [JSON.stringify(options)], { stdio: "inherit" });
    this.exited = once(this.#child, "exit").then(() => {
      for (const { reject } of this.#calls.values()) reject(new Error("the process has exited"));
      this.#calls.clear();
    });
  }

  static async start(options: ChildOptions, onReply: (reply: AgentReply) => void): Promise<CoreProcess> {
    const started = new CoreProcess(options, onReply);
    await new Promise<void>((resolve, reject) => {
      started.#child.on("message", (message: FromChild) => {
        if (message.say === "ready") resolve();
        else started.#handle(message);
      });
      void started.exited.then(() => reject(new Error("the process exited before it was ready")));
    });
    return started;
  }

  publish(message: UserMessage): Promise<void> {
    return this.#order({ do: "publish", message });
  }

  /** Makes the process kill itself at the n-th pass of a checkpoint from now on. */
  crashAt(at: string, nth = 1): Promise<void> {
    return this.#order({ do: "crash", at, nth });
  }

  async stop(): Promise<void> {
    await this.#order({ do: "stop" });
    await this.kill();
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #order(order: Order): Promise<void> {
    const call = ++this.#calledSoFar;
    return new Promise((resolve, reject) => {
      if (!this.isRunning) return reject(new Error("the process has exited already"));
      this.#calls.set(call, { resolve, reject });
      this.#child.send({ ...order, call }, (error) => error && reject(error));
    });
  }

  #handle(message: Exclude<FromChild, { say: "ready" }>): void {
    if (message.say === "reply") {
      this.#onReply(message.reply);
      return;
    }
    const call = this.#calls.get(message.call);
    this.#calls.delete(message.call);
    if (message.say === "done") call?.resolve();
    else call?.reject(new Error(message.error));
  }
}
