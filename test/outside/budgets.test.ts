import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Deployment, plainConfig } from "../e2e/deployment.ts";
import { type MooringProcess, requireFreshBuild } from "../e2e/mooring-process.ts";
import { calls, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { type LogItem, WebClient } from "../fakes/web-client.ts";

const stops: (() => Promise<unknown>)[] = [];
beforeAll(requireFreshBuild);
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Answers, or sets a reminder; counts the requests. */
const startModel = async () => {
  const asked: ModelRequest[] = [];
  const server = await ScriptedModelServer.start((request) => {
    asked.push(request);
    const { lastUserText, toolOutputs } = request;
    if (toolOutputs.length > 0) return says(toolOutputs.join(" "));
    if (!lastUserText.startsWith("remind")) return says(`You said: ${lastUserText}`);
    const input = { description: "Tea", prompt: "drink tea", when: "in 1 s" };
    return calls([{ name: "schedule_task", arguments: input }]);
  });
  stops.push(() => server.stop());
  return { asked, settings: { provider: "openai-compatible", baseUrl: server.baseUrl, model: "m" } };
};

const WEB = { web: { adapter: "web", limits: { messagesPerSecond: 1_000, messageBurst: 1_000 } } };

const deploy = async (budgets: object, changes: object = {}) => {
  const { asked, settings } = await startModel();
  const agents = [{ name: "mooring", model: settings, budgets }];
  const deployment = await Deployment.create(plainConfig({ agents, channels: WEB, ...changes }));
  stops.push(() => deployment.dispose());
  return { asked, deployment };
};

/** One process on the embedded backbone, with a visitor. */
const startWith = async (budgets: object) => {
  const { asked, deployment } = await deploy(budgets);
  const address = await deployment.run("start").running;
  const visitor = deployment.with(new WebClient("visitor", () => address));
  const ask = async (text = "hello") => visitor.answerTo(visitor.say(text));
  const command = async (args = "") => visitor.answerTo(visitor.command("budget", args));
  return { asked, visitor, ask, command };
};

const isNotice = (text: string) => (item: LogItem) => item.kind === "notice" && item.markdown?.includes(text) === true;

describe("given an anonymous visitor with four turns a day", () => {
  it("when they go on writing, then they are warned, see what is left, and are stopped with a text and a renewal time (R2)", async () => {
    const { asked, visitor, ask, command } = await startWith({ visitor: { turnsPerDay: 4 } });
    await ask();
    await ask();
    await visitor.until(() => visitor.log.some(isNotice("You have used 50 % of your budget")), "the warning");
    expect((await command()).markdown).toMatch(/2 of 4 turns, 50 % left\n[\s\S]*It renews at 00:00 UTC, in \d/);
    await ask();
    await ask();
    await visitor.until(() => visitor.log.some(isNotice("used up (4 of 4 turns)")), "the last warning");
    for (let again = 0; again < 2; again++) {
      const refused = await ask();
      expect(refused).toMatchObject({ kind: "final", outcome: "failed" });
      expect(refused.markdown).toMatch(
        /^Your budget for today is used up \(4 of 4 turns\)\. It renews at 00:00 UTC, in \d/,
      );
    }
    expect(asked).toHaveLength(4);
    expect(visitor.log.filter(isNotice("You have used 50 %"))).toHaveLength(1);
  });

  it("when a soft limit asks, then the button lets them go on to the hard limit", async () => {
    const { ask, command } = await startWith({ visitor: { turnsPerDay: 4, softShare: 0.5 } });
    await ask();
    await ask();
    const question = await ask();
    const [button] = question.actions ?? [];
    expect(question.markdown).toContain("You have reached 50 % of your budget for today (2 of 4 turns)");
    expect(button).toMatchObject({ name: "budget" });
    await command(button?.value);
    expect((await ask()).outcome).toBe("answered");
    expect((await ask()).outcome).toBe("answered");
    expect((await ask()).markdown).toContain("used up (4 of 4 turns)");
  });

  it("when their reminder is due near the limit, then it is sent without the model, and they are still answered", async () => {
    const { asked, visitor, ask } = await startWith({ visitor: { turnsPerDay: 2, unattendedShare: 0.5 } });
    await ask("remind me");
    await visitor.until(() => visitor.log.some(isNotice("It was: drink tea")), "the refused reminder");
    expect(visitor.log.find(isNotice("drink tea"))?.markdown).toContain("Background work has used its part");
    const before = asked.length;
    expect((await ask()).outcome).toBe("answered");
    expect(asked).toHaveLength(before + 1);
  });
});

const VISITORS = 6;
const MESSAGES = 30;
const LIMIT = 100;
const BLOCK = 10;
const shared = {
  visitor: { turnsPerDay: "unlimited", tokensPerDay: "unlimited" },
  agent: { turnsPerDay: LIMIT },
};

/** Sends all messages, kills and replaces processes while they are answered, and accounts for every message. */
const underKills = async (
  asked: readonly ModelRequest[],
  clients: readonly WebClient[],
  kills: readonly (() => Promise<void>)[],
) => {
  for (const client of clients) for (let n = 1; n <= MESSAGES; n++) client.say(`message ${n}`);
  for (const [index, kill] of kills.entries()) {
    await Promise.race(
      clients.map((client) => client.until(() => asked.length >= 25 * (index + 1), `${25 * (index + 1)} requests`)),
    );
    await kill();
  }
  const finals = await Promise.all(clients.flatMap((client) => client.sent.map((id) => client.answerTo(id))));
  const answered = finals.filter(({ outcome }) => outcome === "answered").length;
  const refused = finals.filter(({ markdown }) =>
    markdown?.includes("The budget of this assistant for today is used up"),
  );
  expect(answered + refused.length).toBe(VISITORS * MESSAGES);
  expect(asked.length).toBeLessThanOrEqual(LIMIT);
  return { answered };
};

describe("given an agent with 100 turns a day, and 180 messages of six visitors", () => {
  it("when two cores on NATS are killed with SIGKILL and replaced, then the model is asked at most 100 times, and every message has an answer (R2)", async () => {
    const nats = await NatsServer.start();
    stops.push(() => nats.stop());
    const backbone = { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } };
    const { asked, deployment } = await deploy(shared, { backbone });
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
    const kills = cores.map((core) => async () => {
      core.kill("SIGKILL");
      await core.exited;
      await startCore();
    });
    const { answered } = await underKills(asked, clients, kills);
    // Each of the four processes may keep or lose one block, and a killed turn is asked again.
    expect(answered).toBeGreaterThanOrEqual(LIMIT - 4 * BLOCK);
  });

  it("when the process on the embedded backbone is killed with SIGKILL twice, then the same holds", async () => {
    const { asked, deployment } = await deploy(shared);
    let process = deployment.run("start");
    let address = await process.running;
    const clients = Array.from({ length: VISITORS }, (_, at) =>
      deployment.with(new WebClient(`v${at}`, () => address)),
    );
    const kill = async () => {
      process.kill("SIGKILL");
      await process.exited;
      process = deployment.run("start");
      address = await process.running;
    };
    const { answered } = await underKills(asked, clients, [kill, kill]);
    expect(answered).toBeGreaterThanOrEqual(LIMIT - 4 * BLOCK);
  });
});
