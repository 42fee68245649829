import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { AppError } from "../../../contract/app-error.ts";
import type { Clock } from "../../../contract/ports/clock.ts";
import type { ChildGroups, ChildProgram, Program } from "../processes/child-groups.ts";
import { FloodLimit, MAX_MESSAGE_BYTES } from "./flood-limit.ts";
import { writeTogether } from "./gathered-writes.ts";
import type { ServerOutput } from "./server-output.ts";

/** Lines of other text in a row: some programs print a greeting or notes, and one that prints more is not a server. */
const MAX_RUBBISH_LINES = 200;
/** How long a program that has closed its input may take to end. */
const END_WAIT_MS = 1_000;

interface StdioDeps {
  readonly groups: ChildGroups;
  readonly clock: Clock;
  readonly output: ServerOutput;
  /** Called once with the reason, if the program breaks the rules or ends. */
  onBroken(reason: string): void;
}

/** Messages to and from a program, one per line. Unlike the SDK's, it stops the whole process group and bounds its input. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #program: Program;
  readonly #deps: StdioDeps;
  readonly #flood: FloodLimit;
  #child: ChildProgram | undefined;
  #unfinished: Buffer[] = [];
  #unfinishedBytes = 0;
  #rubbishLines = 0;
  /** The rest of its output is dropped, and it is being stopped. */
  #isBroken = false;
  #isClosed = false;

  constructor(program: Program, deps: StdioDeps) {
    this.#program = program;
    this.#deps = deps;
    this.#flood = new FloodLimit(deps.clock);
  }

  async start(): Promise<void> {
    const child = this.#deps.groups.start(this.#program);
    this.#child = child;
    child.stderr.on("data", (chunk: Buffer) => this.#deps.output.add(chunk));
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    // A program that has closed its input ends soon, which is reported then.
    child.stdin.on("error", () => {});
    child.once("close", (code, signal) => {
      this.#deps.onBroken(`it ended (${signal === null ? `exit code ${code}` : signal})`);
      this.#closed();
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error: NodeJS.ErrnoException) => reject(startFailure(this.#program, error)));
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || !child.stdin.writable)
      return Promise.reject(new AppError("unavailable", "it has ended"));
    writeTogether(child.stdin);
    return new Promise((resolve, reject) => {
      child.stdin.write(serializeMessage(message), (error) => {
        if (!error) return resolve();
        if (this.#isClosed) return reject(new AppError("unavailable", "it has ended"));
        // A program that does not read usually ends at the same time, and its end says more than the failed write.
        const timer = this.#deps.clock.after(END_WAIT_MS, () =>
          reject(new AppError("unavailable", "it has closed its standard input")),
        );
        child.once("close", () => {
          timer.cancel();
          reject(new AppError("unavailable", "it has ended"));
        });
      });
    });
  }

  async close(): Promise<void> {
    if (this.#child !== undefined) await this.#deps.groups.stop(this.#child);
    this.#closed();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf("\n"); end !== -1 && !this.#isBroken; end = rest.indexOf("\n")) {
      const line = Buffer.concat([...this.#unfinished, rest.subarray(0, end)]).toString("utf8");
      this.#unfinished = [];
      this.#unfinishedBytes = 0;
      rest = rest.subarray(end + 1);
      this.#take(line);
    }
    this.#unfinishedBytes += rest.length;
    if (this.#isBroken) return;
    if (this.#unfinishedBytes > MAX_MESSAGE_BYTES) this.#break(`it sent more than ${MAX_MESSAGE_BYTES} bytes at once`);
    else if (rest.length > 0) this.#unfinished.push(rest);
  }

  #take(line: string): void {
    const rule = this.#flood.add(1, line.length);
    if (rule !== undefined) this.#break(rule);
    if (rule !== undefined || line.trim() === "") return;
    const message = parsed(line);
    if (message === undefined) {
      this.#rubbish(line);
      return;
    }
    this.#rubbishLines = 0;
    this.onmessage?.(message);
  }

  #rubbish(line: string): void {
    this.#deps.output.add(Buffer.from(`stdout: ${line.slice(0, 200)}\n`));
    if (++this.#rubbishLines > MAX_RUBBISH_LINES) this.#break("its standard output has text instead of messages");
  }

  #break(reason: string): void {
    if (this.#isBroken || this.#isClosed) return;
    this.#isBroken = true;
    this.#unfinished = [];
    this.#child?.stdout.removeAllListeners("data").resume();
    this.#deps.onBroken(`${reason}, and was stopped`);
    void this.close();
  }
}

const parsed = (line: string): JSONRPCMessage | undefined => {
  try {
    return deserializeMessage(line);
  } catch {
    return undefined;
  }
};

const startFailure = ({ command, cwd }: Program, error: NodeJS.ErrnoException): AppError => {
  if (error.code !== "ENOENT") return new AppError("unavailable", `"${command}" does not start: ${error.message}`);
  const where = cwd === undefined ? "" : `, or the folder "${cwd}" does not exist`;
  return new AppError("unavailable", `the program "${command}" was not found${where}`);
};
