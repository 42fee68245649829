import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { fakeServer } from "../fakes/mcp/fake-server.ts";
import { calls, says } from "../fakes/model-answer.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { type Backbone, Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
let model: ScriptedModelServer;
afterEach(async () => {
  await product?.dispose();
  await model?.stop();
});

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

describe.each<Backbone>(["embedded", "nats"])("given tool servers that run as programs, on %s", (backbone) => {
  it("when Mooring is killed in a call, then the next start ends all that is left of them, and no call runs twice unless it may (T2, T3)", async () => {
    model = await ScriptedModelServer.start(({ lastUserText, toolOutputs }) =>
      toolOutputs.length > 0 ? says(toolOutputs.join("\n")) : calls([{ name: lastUserText, arguments: {} }]),
    );
    const { baseUrl } = model;
    const annotations = { idempotentHint: true, destructiveHint: false };
    const serverOf = (name: string, rest: object) =>
      fakeServer(
        {
          ...{ log: `${name}.log`, until: "until", child: true, stayAlive: true, ignoreSigterm: true },
          tools: [{ name: "slow", inputSchema: { type: "object" }, annotations }],
        },
        rest,
      );
    product = await Product.create({
      backbone,
      config: {
        agents: [
          {
            name: "mooring",
            model: { provider: "openai-compatible", baseUrl, model: "scripted" },
            rights: { anonymous: ["default", "tool:*"] },
            mcpServers: { again: serverOf("again", { trusted: true }), once: serverOf("once", {}) },
          },
        ],
      },
    });
    const linesOf = (name: string) => {
      const file = join(product.folder, `${name}.log`);
      const text = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
      return text === "" ? [] : text.split("\n").map((line) => JSON.parse(line));
    };
    const callsOf = (name: string) => linesOf(name).filter(({ call }) => call === "slow");
    const pidsOf = (name: string): number[] => linesOf(name).flatMap(({ started, child }) => started ?? child ?? []);

    let mooring = await product.start("start");
    await mooring.ready();
    const visitors = ["again", "once"].map((name) => {
      const visitor = product.client(name, () => mooring.address);
      return { visitor, said: visitor.say(`${name}__slow`) };
    });
    await expect.poll(() => [callsOf("again").length, callsOf("once").length], { timeout: 60_000 }).toEqual([1, 1]);
    await mooring.end("SIGKILL");
    const left = [...pidsOf("again"), ...pidsOf("once")];
    expect(left.map(isAlive)).toEqual([true, true, true, true]);

    mooring = await product.start("start");
    await mooring.ready();
    await expect.poll(() => left.some(isAlive), { timeout: 60_000 }).toBe(false);
    await expect.poll(() => callsOf("again").length, { timeout: 60_000 }).toBe(2);
    await writeFile(join(product.folder, "until"), "");
    const answers = await Promise.all(visitors.map(({ visitor, said }) => visitor.answerTo(said)));
    expect(answers[0]?.markdown).toBe("slow and done");
    expect(answers[1]?.markdown).toContain("its outcome is unknown");
    expect(callsOf("once")).toHaveLength(1);
    expect(new Set(callsOf("again").map(({ _meta }) => _meta["mooring/idempotency-key"])).size).toBe(1);

    const running = pidsOf("again").filter(isAlive);
    expect(running).toHaveLength(2);
    await mooring.end("SIGTERM");
    await expect.poll(() => running.some(isAlive), { timeout: 60_000 }).toBe(false);
  });
});
