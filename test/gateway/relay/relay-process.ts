import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { ChildBackbone } from "../../contract/open-for-child.ts";
import { childProgram } from "../../fakes/child-program.ts";
import type { PaperAbility } from "../../fakes/paper-channel.ts";

export interface RelayChildOptions {
  readonly backbone: ChildBackbone;
  readonly apiUrl: string;
  readonly token: string;
  readonly secret: string;
  readonly resend: "idempotent" | "repeats";
  readonly ability?: PaperAbility;
  /** Kills itself when it passes this checkpoint for the n-th time. */
  readonly crashAt?: { readonly checkpoint: string; readonly time: number };
}

export interface RelayState {
  /** The states of one reply, in the order of its parts. */
  readonly ledger: readonly string[];
  /** The reasons of all dead letters. */
  readonly dead: readonly string[];
}

export type FromRelayChild = { say: "ready"; webhookUrl: string } | ({ say: "state" } & RelayState);

/** A gateway in its own process. */
export class RelayProcess {
  readonly webhookUrl: string;
  readonly exited: Promise<unknown>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, exited: Promise<unknown>, webhookUrl: string) {
    this.#child = child;
    this.exited = exited;
    this.webhookUrl = webhookUrl;
  }

  static async start(options: RelayChildOptions): Promise<RelayProcess> {
    const script = childProgram(new URL("./relay-child.ts", import.meta.url));
    const child = fork(script, [JSON.stringify(options)], { stdio: "inherit" });
    const exited = once(child, "exit");
    const ready = await Promise.race([once(child, "message"), exited.then(() => ["ended before it was ready"])]);
    const [message] = ready as [FromRelayChild | string];
    if (typeof message === "string" || message.say !== "ready") throw new Error(`the gateway ${String(message)}`);
    return new RelayProcess(child, exited, message.webhookUrl);
  }

  async state(replyId: string): Promise<RelayState> {
    const answer = once(this.#child, "message");
    this.#child.send(replyId);
    const [state] = (await answer) as [RelayState];
    return state;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }
}
