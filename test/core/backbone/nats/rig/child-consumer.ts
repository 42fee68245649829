import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { childProgram } from "../../../../fakes/child-program.ts";

const program = () => childProgram(new URL("./consumer-process.ts", import.meta.url));

/** A consuming child process that a test can suspend and kill. */
export class ChildConsumer {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(url: string, { leaseMs = 1_000, handleMs = 0 } = {}): Promise<ChildConsumer> {
    const args = [program(), url, String(leaseMs), String(handleMs)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const consumer = new ChildConsumer(child);
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the consumer process ended with ${code}`)));
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
        consumer.lines.push(line);
        if (line === "ready") resolve();
      });
    });
    return consumer;
  }

  ids(event: "start" | "end"): string[] {
    return this.lines.filter((line) => line.startsWith(`${event} `)).map((line) => line.split(" ")[1] ?? "");
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  async end(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<number | null> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill(signal);
    return ended;
  }
}
