import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Deployment, plainConfig } from "../e2e/deployment.ts";
import { type MooringProcess, requireFreshBuild } from "../e2e/mooring-process.ts";
import { says } from "../fakes/model-answer.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { Recorder } from "../fakes/recorder.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { WebClient } from "../fakes/web-client.ts";

const stops: (() => Promise<unknown>)[] = [];
beforeAll(requireFreshBuild);
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const VISITORS = 6;
const LIMIT = 2;

/** A model that answers once the test lets it; records how many requests are open after each change. */
const startModel = async () => {
  const open = new Recorder<number>();
  let count = 0;
  let answer: () => void = () => undefined;
  const allowed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const server = await ScriptedModelServer.start(async ({ closed, lastUserText }) => {
    open.add(++count);
    void closed.then(() => open.add(--count));
    await Promise.race([allowed, closed]);
    return says(`You said: ${lastUserText}`);
  });
  stops.push(() => server.stop());
  const settings = { provider: "openai-compatible", baseUrl: server.baseUrl, model: "m" };
  return { open, answer: () => answer(), settings };
};

const deploy = async (changes: object = {}) => {
  const model = await startModel();
  const agents = [{ name: "mooring", model: model.settings, budgets: { agent: { turnsAtOnce: LIMIT } } }];
  const channels = { web: { adapter: "web" } };
  const deployment = await Deployment.create(plainConfig({ agents, channels, ...changes }));
  stops.push(() => deployment.dispose());
  return { model, deployment };
};

type Model = Awaited<ReturnType<typeof startModel>>;

/** Writes more messages than may run, kills the processes that run them, and expects every answer. */
const expectInLine = async (model: Model, clients: readonly WebClient[], kill: () => Promise<void>) => {
  const sent = clients.map((client) => [client, client.say("hello")] as const);
  await model.open.until((counts) => counts.at(-1) === LIMIT);
  const waits = (client: WebClient) =>
    client.log.some(({ kind, markdown }) => kind === "notice" && markdown?.includes("Yours waits in line") === true);
  await Promise.any(clients.map((client) => client.until(() => waits(client), "the notice")));
  const before = model.open.items.length;
  await kill();
  await model.open.until((counts) => counts.length > before + LIMIT && counts.at(-1) === LIMIT);
  model.answer();
  for (const [client, id] of sent) expect((await client.answerTo(id)).markdown).toBe("You said: hello");
  expect(Math.max(...model.open.items)).toBe(LIMIT);
  for (const client of clients) expect(client.log.filter(({ kind }) => kind === "notice").length).toBeLessThan(2);
};

describe("given an agent with two turns at once, and messages of six visitors", () => {
  it("when two cores on NATS are killed with SIGKILL during their turns, then others take over, no more than two run, and every message has an answer (R2)", async () => {
    const nats = await NatsServer.start();
    stops.push(() => nats.stop());
    const backbone = { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } };
    const { model, deployment } = await deploy({ backbone });
    const address = await deployment.run("gateway").running;
    const startCore = async (): Promise<MooringProcess> => {
      const core = deployment.run("core");
      await core.running;
      return core;
    };
    const cores = await Promise.all([startCore(), startCore()]);
    const clients = Array.from({ length: VISITORS }, (_, at) =>
      deployment.with(new WebClient(`v${at}`, () => address)),
    );
    await expectInLine(model, clients, async () => {
      for (const core of cores) core.kill("SIGKILL");
      await Promise.all(cores.map((core) => core.exited));
      await Promise.all([startCore(), startCore()]);
    });
  });

  it("when the process on the embedded backbone is killed with SIGKILL, then the same holds", async () => {
    const { model, deployment } = await deploy();
    const process = deployment.run("start");
    let address = await process.running;
    const clients = Array.from({ length: VISITORS }, (_, at) =>
      deployment.with(new WebClient(`v${at}`, () => address)),
    );
    await expectInLine(model, clients, async () => {
      process.kill("SIGKILL");
      await process.exited;
      address = await deployment.run("start").running;
    });
  });
});
