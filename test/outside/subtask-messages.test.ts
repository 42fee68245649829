import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { type Backbone, Product, type StartedProcess } from "./product.ts";
import { ModelBoard, type Script } from "./settings/model-board.ts";

beforeAll(requireFreshBuild);

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** The product as an operator deploys it: one process on the embedded backbone, a core and a gateway on NATS. */
class Running {
  readonly models: ModelBoard;
  readonly #product: Product;
  #processes: StartedProcess[] = [];
  #address = "";

  private constructor(models: ModelBoard, product: Product) {
    this.models = models;
    this.#product = product;
  }

  static async start(backbone: Backbone, script: Script): Promise<Running> {
    const models = await ModelBoard.start();
    cleanUp.push(() => models.stop());
    const agents = [{ name: "mooring", model: models.named("primary", script) }];
    const product = await Product.create({ backbone, config: { agents } });
    cleanUp.push(() => product.dispose());
    const running = new Running(models, product);
    await running.startAll();
    return running;
  }

  async startAll(): Promise<void> {
    const roles = this.#product.nats === undefined ? (["start"] as const) : (["core", "gateway"] as const);
    for (const role of roles) {
      const process = await this.#product.start(role);
      this.#processes.push(process);
      this.#address = process.address;
    }
    for (const process of this.#processes) await process.ready();
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#processes.splice(0).map((process) => process.end("SIGKILL")));
  }

  client(name: string) {
    return this.#product.client(name, () => this.#address);
  }

  /** Requests of subagents that have received the results of their first tool calls. */
  afterReport(): readonly ModelRequest[] {
    return this.models.requests("primary").filter((one) => isSubagent(one) && one.toolOutputs.length > 0);
  }
}

const isSubagent = ({ toolNames }: ModelRequest): boolean => toolNames.includes("complete_subtask");
const works = (): ModelAnswer => says([new Gate(), "too late"]);
const spawns = (...tasks: object[]): ModelAnswer =>
  calls([
    { name: "spawn_parallel_subtasks", arguments: { tasks: tasks.map((task) => ({ prompt: "work", ...task })) } },
  ]);
const notifies = (type: string, content: string): ModelAnswer =>
  calls([{ name: "notify_owner", arguments: { type, content } }]);

describe.each<Backbone>(["embedded", "nats"])("given running subtasks, on %s", (backbone) => {
  it("when two of them announced the same files, then their owner learns of it, also in a later turn (S6)", async () => {
    const files: Record<string, object[]> = {
      both: [
        { name: "tides", targetFiles: ["./src/tides.ts", "docs/tides.md"] },
        { name: "moon", targetFiles: ["src//tides.ts", "src/moon.ts"] },
      ],
      other: [{ name: "boats", targetFiles: ["src/boats.ts"] }],
      folder: [{ name: "words", targetFiles: ["docs"] }],
    };
    const running = await Running.start(backbone, (request) => {
      if (isSubagent(request)) return works();
      return request.toolOutputs.length > 0
        ? says(request.toolOutputs.join("\n"))
        : spawns(...(files[request.lastUserText] ?? []));
    });
    const ann = running.client("ann");
    const told = async (text: string) => (await ann.answerTo(ann.say(text))).markdown ?? "";
    const conflict = "These running subtasks change the same files, so their results may conflict:";
    const [both, other, folder] = [await told("both"), await told("other"), await told("folder")];
    expect(both).toContain(conflict);
    expect(both).toMatch(/- subtask-\w+ \(tides\) and subtask-\w+ \(moon\): src\/tides\.ts\n/);
    expect(other).not.toContain("same files");
    expect(folder).toMatch(/- subtask-\w+ \(words\) and subtask-\w+ \(tides\): docs\/tides\.md\n/);
  });

  it("when one sends a status_update, then its owner reads it before its next step, also after a kill, and no turn starts (S6)", async () => {
    const running = await Running.start(backbone, (request) => {
      if (isSubagent(request)) return request.toolOutputs.length > 0 ? works() : notifies("status_update", "half way");
      if (request.lastUserText !== "research") return says("It goes on.");
      return request.toolOutputs.length > 0 ? says("On it.") : spawns({ name: "tides" });
    });
    const ann = running.client("ann");
    await ann.answerTo(ann.say("research"));
    await expect.poll(() => running.afterReport().length).toBe(1);
    const primary = () => running.models.requests("primary").filter((request) => !isSubagent(request));
    expect(primary()).toHaveLength(2);

    const update = /\[status_update from subtask-[0-9a-f]{8} \\"tides\\"\] half way/;
    const asks = async () => {
      await ann.answerTo(ann.say("how is it going?"));
      return JSON.stringify(primary().at(-1)?.body.messages);
    };
    expect(await asks()).toMatch(update);
    await running.killAll();
    await running.startAll();
    expect(await asks()).toMatch(update);
    expect(primary()).toHaveLength(4);
  });

  it("when one sends an error to its busy owner and all processes are killed, then the message stays queued and arrives once (S3)", async () => {
    const gate = new Gate();
    const running = await Running.start(backbone, (request) => {
      const { lastUserText, toolOutputs } = request;
      if (isSubagent(request)) return toolOutputs.length > 0 ? works() : notifies("error", "the door is locked");
      if (lastUserText.startsWith("[error")) return says(`Reported: ${lastUserText.split("\n")[1]}`);
      if (lastUserText !== "research") return says(`You said: ${lastUserText}`);
      if (toolOutputs.length === 0) return spawns({ name: "tides" });
      return says([gate, "On it."]);
    });
    const ann = running.client("ann");
    const asked = ann.say("research");
    // The owner's turn is not done, so the message waits for it.
    await expect.poll(() => running.afterReport().length).toBe(1);
    await running.killAll();
    gate.release();
    const reported = () => ann.replies().filter(({ markdown }) => markdown === "Reported: the door is locked");
    expect(reported()).toEqual([]);
    await running.startAll();
    expect((await ann.answerTo(asked)).markdown).toBe("On it.");
    await ann.until(() => reported().length > 0, "the error of the subtask");
    expect((await ann.answerTo(ann.say("hello"))).markdown).toBe("You said: hello");
    expect(reported()).toHaveLength(1);
  });
});

describe("given a gateway on NATS without a core", () => {
  it("when a person writes, then the message stays queued, and is answered once a core starts (S3)", async () => {
    const models = await ModelBoard.start();
    cleanUp.push(() => models.stop());
    const product = await Product.create({
      backbone: "nats",
      config: { agents: [{ name: "mooring", model: models.named("primary") }] },
    });
    cleanUp.push(() => product.dispose());
    // A core creates the streams; afterwards it leaves.
    const first = await product.start("core");
    await first.ready();
    const gateway = await product.start("gateway");
    await gateway.ready();
    await first.end("SIGKILL");
    const ann = product.client("ann", gateway.address);
    const asked = ann.say("hello");
    await ann.until(() => ann.accepted.includes(asked), "the confirmation that the message is stored");
    expect(models.requests("primary")).toEqual([]);
    await (await product.start("core")).ready();
    expect((await ann.answerTo(asked)).markdown).toBe("You said: hello");
    expect(models.requests("primary")).toHaveLength(1);
  });
});
