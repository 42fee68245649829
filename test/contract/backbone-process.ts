import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { ConsumeOptions, Outcome, PublishOptions } from "../../core/contract/ports/bus.ts";
import { childProgram } from "../fakes/child-program.ts";
import { Recorder } from "../fakes/recorder.ts";
import type { TestMessage } from "./test-message.ts";

type Command =
  | { do: "publish"; subject: string; message: TestMessage; options: PublishOptions }
  | { do: "consume"; subject: string; options: Omit<ConsumeOptions, "onDeadLetter">; crashOn?: string }
  | { do: "outcome"; ticket: number; outcome: Outcome };
export type ToChild = Command & { call: number };

export interface Handling {
  readonly ticket: number;
  readonly id: string;
  readonly attempt: number;
  readonly n: number;
}
export type FromChild =
  | { say: "ready" }
  | { say: "done"; call: number }
  | { say: "failed"; call: number; error: string }
  | ({ say: "handling" } & Handling)
  | { say: "dead letter"; id: string; n: number | undefined };

/** A child process with an open backbone. The test decides the outcome of each handler, and kills the process. */
export class BackboneProcess {
  readonly handling = new Recorder<Handling>();
  /** The calls of onDeadLetter in this process. */
  readonly deadLetters = new Recorder<{ id: string; n: number | undefined }>();
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #exited: Promise<unknown>;
  #ready: () => void = () => undefined;
  #calledSoFar = 0;

  private constructor(backbone: object) {
    const script = childProgram(new URL("./backbone-child.ts", import.meta.url));
    this.#child = fork(script, [JSON.stringify(backbone)], { stdio: "inherit" });
    this.#exited = once(this.#child, "exit").then(() => {
      for (const { reject } of this.#calls.values()) reject(new Error("the process has ended"));
      this.#calls.clear();
    });
    this.#child.on("message", (message: FromChild) => this.#receive(message));
  }

  static async start(backbone: object): Promise<BackboneProcess> {
    const started = new BackboneProcess(backbone);
    await new Promise<void>((resolve, reject) => {
      started.#ready = resolve;
      void started.#exited.then(() => reject(new Error("the process ended before it was ready")));
    });
    return started;
  }

  publish(subject: string, message: TestMessage, options: PublishOptions): Promise<void> {
    return this.#send({ do: "publish", subject, message, options });
  }

  consume(subject: string, options: Omit<ConsumeOptions, "onDeadLetter">, crashOn?: string): Promise<void> {
    return this.#send({ do: "consume", subject, options, ...(crashOn === undefined ? {} : { crashOn }) });
  }

  decide(handling: Handling, outcome: Outcome): Promise<void> {
    return this.#send({ do: "outcome", ticket: handling.ticket, outcome });
  }

  /** Acknowledges each message that this process gets from now on. */
  acknowledgeAll(): void {
    let seen = 0;
    void this.handling.until((items) => {
      for (; seen < items.length; seen++) this.decide(items[seen] as Handling, { ack: true }).catch(() => undefined);
      return false;
    });
  }

  async kill(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT" = "SIGKILL"): Promise<void> {
    this.#child.kill(signal);
    if (signal === "SIGKILL") await this.#exited;
  }

  get exited(): Promise<unknown> {
    return this.#exited;
  }

  #send(command: Command): Promise<void> {
    const call = ++this.#calledSoFar;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      this.#child.send({ ...command, call }, (error) => error && reject(error));
    });
  }

  #receive(message: FromChild): void {
    if (message.say === "ready") this.#ready();
    else if (message.say === "handling") this.handling.add(message);
    else if (message.say === "dead letter") this.deadLetters.add({ id: message.id, n: message.n });
    else {
      const call = this.#calls.get(message.call);
      this.#calls.delete(message.call);
      if (message.say === "done") call?.resolve();
      else call?.reject(new Error(message.error));
    }
  }
}
