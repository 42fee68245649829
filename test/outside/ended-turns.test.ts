import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { fails, Gate, says } from "../fakes/model-answer.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { type Backbone, Product } from "./product.ts";

const TOKEN = "operator-of-ended-turns-1";

beforeAll(requireFreshBuild);

let product: Product;
let model: ScriptedModelServer;
afterEach(async () => {
  await product.dispose();
  await model.stop();
});

describe.each<Backbone>(["embedded", "nats"])("given ended turns and a running one on %s", (backbone) => {
  it("when an operator lists the session's turns, then each ended one has its end and outcome (U3)", async () => {
    const gate = new Gate();
    model = await ScriptedModelServer.start(({ lastUserText }) => {
      if (lastUserText === "break") return fails(400);
      return lastUserText === "wait" ? says([gate, "late"]) : says("Good day.");
    });
    product = await Product.create({ backbone, config: configured(model.baseUrl) });
    const mooring = await product.start("start");
    await mooring.running;
    const visitor = product.client("visitor", mooring.address);
    const { sessionId } = await visitor.answerTo(visitor.say("hello"));
    await visitor.answerTo(visitor.say("break"));
    await visitor.answerTo(visitor.command("help"));
    const before = model.requests.length;
    const waiting = visitor.say("wait");
    await model.received(before + 1);

    const turns = async () => (await admin(mooring.address, `sessions/${sessionId}/turns?agent=mooring`)).items;
    const ended = { endedAt: expect.stringMatching(/^\d{4}-.*Z$/) };
    const [first, second, command, running] = await turns();
    expect(first).toMatchObject({ ...ended, summary: "hello", outcome: "answered" });
    expect(second).toMatchObject({ ...ended, summary: "break", outcome: "failed" });
    expect(command).toMatchObject({ trigger: "command", command: "help" });
    expect(running).toMatchObject({ summary: "wait" });
    expect([command?.outcome, running?.endedAt, running?.outcome]).toEqual([undefined, undefined, undefined]);

    const [page] = (await admin(mooring.address, `sessions/${sessionId}/turns?agent=mooring&limit=1`)).items;
    expect(page).toEqual(first);
    gate.release();
    await visitor.answerTo(waiting);
    await expect.poll(async () => (await turns())[3]).toMatchObject({ ...ended, summary: "wait", outcome: "answered" });
    const { turns: traced } = await admin(mooring.address, `traces/${first?.turnId}`);
    expect(traced?.[0]).toMatchObject({ endedAt: first?.endedAt, outcome: "answered" });
  });
});

interface Turn {
  readonly turnId: string;
  readonly summary: string;
  readonly endedAt?: string;
  readonly outcome?: string;
}
interface Answer {
  readonly items: readonly Turn[];
  readonly turns?: readonly Turn[];
}

const admin = async (address: string, path: string): Promise<Answer> => {
  const response = await fetch(`${address}/admin/api/${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

const configured = (baseUrl: string) => ({
  admin: { tokens: [{ token: TOKEN, role: "platform_admin" }] },
  agents: [{ name: "mooring", model: { provider: "openai-compatible", baseUrl, model: "scripted", apiKey: "none" } }],
});
