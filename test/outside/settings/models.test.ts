import { beforeAll, describe, expect } from "vitest";
import { calls, cutsAfter, fails, hangsAfter, neverAnswers, says } from "../../fakes/model-answer.ts";
import type { WebClient } from "../../fakes/web-client.ts";
import { timed } from "../../setup/stopwatch.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
const PROVIDERS = ["openai-compatible", "anthropic"] as const;
const TIMEOUTS = { firstTokenMs: "first", idleMs: "idle", totalMs: "total" } as const;
/** Less than every default timeout, and far more than those that are set here. */
const SOON_MS = 30_000;
/** Longer than the default; a subtask of the demo takes four steps. */
const WORK_MS = 2_000;

beforeAll(async () => {
  models = await rig.models();
  const agents = PROVIDERS.flatMap((provider) => {
    const model = (name: string, script?: Parameters<ModelBoard["named"]>[1], more: object = {}) => ({
      name: `${name}-${provider}`,
      model: { ...models.named(`${name}-${provider}`, script, { apiKey: "key-of-the-model", ...more }), provider },
    });
    return [
      model("plain"),
      model("other", undefined, {
        apiKey: "another-key",
        headers: { "x-harbour": "bergen" },
        temperature: 0.25,
        maxOutputTokens: 77,
      }),
      model("first", neverAnswers, { timeouts: { firstTokenMs: 300 } }),
      model("idle", () => hangsAfter("It begins"), { timeouts: { idleMs: 300 } }),
      model("total", neverAnswers, { timeouts: { totalMs: 300 } }),
      model("forgetful", undefined, { contextTokens: 1_000 }),
    ];
  });
  const demos = [
    { name: "demo-quick", model: { provider: "demo", workMs: 0 } },
    { name: "demo-slow", model: { provider: "demo", pauseMs: 100 } },
    { name: "demo-working", model: { provider: "demo", workMs: WORK_MS } },
    { name: "demo-forgetful", model: { provider: "demo", contextTokens: 1_000 } },
  ];
  const sturdy = {
    name: "sturdy",
    model: models.named("failing", () => cutsAfter("It begins")),
    fallbackModels: [models.named("limited", () => fails(429)), models.named("spare")],
  };
  const choosing = {
    name: "choosing",
    model: models.named("own", ({ lastUserText, toolOutputs }) =>
      toolOutputs.length > 0
        ? says(toolOutputs.join(" "))
        : calls([
            { name: "spawn_subtask", arguments: { name: "part", prompt: "look", model: lastUserText, blocking: true } },
          ]),
    ),
    subtaskModels: { quick: models.named("quick", () => says("quickly done")) },
  };
  const all = [...agents, sturdy, choosing, ...demos];
  const channels = Object.fromEntries(all.map(({ name }) => [name, { adapter: "web", agent: name }]));
  mooring = await rig.start({ agents: all, channels });
});

const ask = async (agent: string, text = "hello") => {
  const visitor = mooring.client("visitor", agent);
  return visitor.answerTo(visitor.say(text));
};

describe("given agents with remote models", () => {
  proves(
    [
      "agents[].model(openai-compatible).provider",
      "agents[].model(openai-compatible).baseUrl",
      "agents[].model(openai-compatible).apiKey",
      "agents[].model(openai-compatible).model",
      "agents[].model(openai-compatible).headers",
      "agents[].model(openai-compatible).temperature",
      "agents[].model(openai-compatible).maxOutputTokens",
    ],
    "when an agent calls an OpenAI-compatible model, then the request has exactly the configured parameters",
    async () => {
      await Promise.all([ask("plain-openai-compatible"), ask("other-openai-compatible")]);
      const [plain] = await models.asked("plain-openai-compatible");
      const [other] = await models.asked("other-openai-compatible");
      expect(plain.path).toBe("/v1/chat/completions");
      expect(plain.headers).toMatchObject({ authorization: "Bearer key-of-the-model" });
      expect(other.headers).toMatchObject({ authorization: "Bearer another-key", "x-harbour": "bergen" });
      expect(plain.headers).not.toHaveProperty("x-harbour");
      expect(other.body).toMatchObject({ temperature: 0.25, max_tokens: 77 });
      expect(plain.body).not.toHaveProperty("temperature");
      expect(plain.body).not.toHaveProperty("max_tokens");
    },
  );

  proves(
    [
      "agents[].model(anthropic).provider",
      "agents[].model(anthropic).baseUrl",
      "agents[].model(anthropic).apiKey",
      "agents[].model(anthropic).model",
      "agents[].model(anthropic).headers",
      "agents[].model(anthropic).temperature",
      "agents[].model(anthropic).maxOutputTokens",
    ],
    "when an agent calls a model with Anthropic's protocol, then the request has the configured parameters",
    async () => {
      await Promise.all([ask("plain-anthropic"), ask("other-anthropic")]);
      const [plain] = await models.asked("plain-anthropic");
      const [other] = await models.asked("other-anthropic");
      expect(plain.path).toBe("/v1/messages");
      expect(plain.headers).toMatchObject({ "x-api-key": "key-of-the-model" });
      expect(other.headers).toMatchObject({ "x-api-key": "another-key", "x-harbour": "bergen" });
      expect(plain.headers).not.toHaveProperty("x-harbour");
      expect(other.body).toMatchObject({ temperature: 0.25, max_tokens: 77 });
      expect(plain.body).not.toHaveProperty("temperature");
      expect(plain.body.max_tokens).not.toBe(77);
    },
  );

  proves(
    [
      "agents[].model(openai-compatible).timeouts.firstTokenMs",
      "agents[].model(openai-compatible).timeouts.idleMs",
      "agents[].model(openai-compatible).timeouts.totalMs",
      "agents[].model(anthropic).timeouts.firstTokenMs",
      "agents[].model(anthropic).timeouts.idleMs",
      "agents[].model(anthropic).timeouts.totalMs",
    ],
    "when a model does not start, stalls or takes too long, then its agent aborts after the configured timeout",
    async () => {
      const hungUpAfterMs = PROVIDERS.flatMap((provider) =>
        Object.values(TIMEOUTS).map(async (name) => {
          const agent = `${name}-${provider}`;
          mooring.client("visitor", agent).say("hello");
          const [request] = await models.asked(agent);
          const { result, undelayedMs } = await timed(() => request.closed);
          expect(result).toBe("client-left");
          return undelayedMs;
        }),
      );
      expect(Math.max(...(await Promise.all(hungUpAfterMs)))).toBeLessThan(SOON_MS);
    },
  );

  proves(
    ["agents[].model(openai-compatible).contextTokens", "agents[].model(anthropic).contextTokens"],
    "when a conversation exceeds the context of a model, then it is summarised; with a larger context it is not",
    async () => {
      const isSummary = ({ toolNames }: { toolNames: readonly string[] }) => toolNames.length === 0;
      for (const provider of PROVIDERS) {
        for (const name of ["plain", "forgetful"]) await ask(`${name}-${provider}`, "harbour ".repeat(400));
        await expect.poll(() => models.requests(`forgetful-${provider}`).some(isSummary)).toBe(true);
        await ask(`plain-${provider}`);
        expect(models.requests(`plain-${provider}`).some(isSummary)).toBe(false);
      }
    },
  );
});

describe("given an agent with fallback models", () => {
  proves(
    ["agents[].fallbackModels"],
    "when the first has an outage and the second a rate limit, then the third answers at once, and both rest",
    async () => {
      const first = await ask("sturdy", "hello");
      expect(first.markdown).toBe("You said: hello");
      const traced = await mooring.admin<{ turns: object[] }>(`traces/${encodeURIComponent(first.id)}`);
      expect(traced.turns).toMatchObject([{ model: "openai-compatible/spare" }]);
      expect((await ask("sturdy", "and again")).markdown).toContain("and again");
      const counts = ["failing", "limited", "spare"].map((name) => models.requests(name).length);
      expect(counts).toEqual([1, 1, 2]);
      const metrics = await (await fetch(`${mooring.address}/metrics`)).text();
      const switched = (from: string, to: string) =>
        `mooring_model_switches_total{from="openai-compatible/${from}",to="openai-compatible/${to}"} 1`;
      expect(metrics).toContain(switched("failing", "limited"));
      expect(metrics).toContain(switched("limited", "spare"));
    },
  );
});

describe("given an agent with a model for subtasks", () => {
  proves(
    ["agents[].subtaskModels"],
    "when it spawns a subtask on that model, then this model works, and another name is refused",
    async () => {
      expect((await ask("choosing", "quick")).markdown).toContain("quickly done");
      expect(models.requests("quick")).toHaveLength(1);
      expect((await ask("choosing", "other")).markdown).toContain(
        'There is no model "other" for subtasks; use one of quick',
      );
    },
  );
});

describe("given agents with the demo model", () => {
  proves(
    ["agents[].model(demo).provider", "agents[].model(demo).pauseMs", "agents[].model(demo).workMs"],
    "when they write and work, then each pauses as configured",
    async () => {
      const visitors = ["demo-quick", "demo-slow", "demo-working"].map((agent) => mooring.client("visitor", agent));
      const [quick, slow, working] = visitors as [WebClient, WebClient, WebClient];
      const spoke = async (visitor: WebClient) => {
        const startedAt = performance.now();
        const { markdown = "" } = await visitor.answerTo(visitor.say("hello"));
        return { tookMs: performance.now() - startedAt, leastMs: markdown.split(/\s+/).length * 100 };
      };
      const worked = async (visitor: WebClient) => {
        const startedAt = performance.now();
        visitor.say("research tides");
        const isDone = () => visitor.log.some(({ kind }) => kind === "completion");
        await visitor.until(isDone, "the end of the subtasks");
        return performance.now() - startedAt;
      };
      const { tookMs, leastMs } = await spoke(slow);
      expect(tookMs).toBeGreaterThan(leastMs);
      const [withoutWork, withWork] = await Promise.all([worked(quick), worked(working)]);
      expect(withWork).toBeGreaterThan(4 * WORK_MS);
      expect(withWork).toBeGreaterThan(withoutWork);
    },
  );

  proves(
    ["agents[].model(demo).contextTokens"],
    "when a conversation exceeds its context, then it forgets that it has introduced itself",
    async () => {
      const introductions = async (agent: string) => {
        const visitor = mooring.client("visitor", agent);
        let count = 0;
        for (let turn = 0; turn < 6; turn++) {
          const { markdown } = await visitor.answerTo(visitor.say("harbour ".repeat(400)));
          if (markdown?.includes("I am the demo model")) count++;
        }
        return count;
      };
      expect(await introductions("demo-quick")).toBe(1);
      expect(await introductions("demo-forgetful")).toBeGreaterThan(1);
    },
  );
});
