import { beforeAll, describe, expect } from "vitest";
import { SdkAgent, TaskState, type Work } from "../../fakes/a2a/sdk-agent.ts";
import { freePort } from "../../setup/free-port.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
const agents: Record<string, SdkAgent> = {};
/** Less than both defaults, and far more than the values that are set here. */
const SOON_MS = 30_000;

const behave = async (work: Work): Promise<void> => {
  if (work.text !== "wait") return work.answer(`You said: ${work.text}`);
  work.status(TaskState.TASK_STATE_WORKING);
  await new Promise<void>((resolve) => void agents.slow?.cancelled.count(1).then(() => resolve()));
};

const hosted = async (name: string, options: Parameters<typeof SdkAgent.start>[1], settings: object = {}) => {
  const agent = rig.owns(await SdkAgent.start(behave, options));
  agents[name] = agent;
  return { name, model: { provider: "a2a", url: agent.url, ...settings } };
};

beforeAll(async () => {
  models = await rig.models();
  const all = [
    await hosted("plain", {}),
    await hosted("bearer", { token: "token-of-the-agent" }, { token: "token-of-the-agent" }),
    await hosted(
      "keyed",
      { apiKey: { header: "X-Quay-Key", value: "key-of-the-agent" } },
      { apiKey: "key-of-the-agent" },
    ),
    await hosted("trusted", {}, { trusted: true }),
    await hosted("slow", {}, { deadlineMs: 1_000 }),
    await hosted("patient", {}, { waitMs: 1_000 }),
    { name: "gone", model: { provider: "a2a", url: `http://127.0.0.1:${await freePort()}`, unreachableMs: 500 } },
    {
      name: "ids",
      model: models.named("ids", undefined, {
        idHeaders: { conversation: "X-Conversation", person: "X-Person", trace: "X-Trace" },
      }),
    },
    { name: "no-ids", model: models.named("no-ids") },
  ];
  const channels = Object.fromEntries(all.map(({ name }) => [name, { adapter: "web", agent: name }]));
  mooring = await rig.start({ agents: all, channels });
});

const ask = async (agent: string, text = "hello", visitorName = "visitor") => {
  const visitor = mooring.client(visitorName, agent);
  return visitor.answerTo(visitor.say(text));
};

describe("given agents elsewhere behind the channels", () => {
  proves(
    [
      "agents[].model(a2a).provider",
      "agents[].model(a2a).url",
      "agents[].model(a2a).token",
      "agents[].model(a2a).apiKey",
    ],
    "when people write, then the agent at the configured address answers, and gets the configured credential",
    async () => {
      for (const name of ["plain", "bearer", "keyed"]) {
        expect((await ask(name)).markdown).toBe("You said: hello");
        expect(agents[name]?.received).toHaveLength(1);
      }
      expect(agents.plain?.headers[0]).not.toHaveProperty("authorization");
    },
  );

  proves(
    ["agents[].model(a2a).trusted"],
    "when the agent is trusted, then it learns where the work began; another one does not",
    async () => {
      await ask("trusted");
      expect(JSON.stringify(agents.trusted?.received)).toContain('"channel":"trusted"');
      await ask("plain");
      expect(JSON.stringify(agents.plain?.received)).not.toContain('"channel"');
    },
  );

  proves(
    ["agents[].model(a2a).deadlineMs", "agents[].model(a2a).waitMs", "agents[].model(a2a).unreachableMs"],
    "when an agent works for too long, or cannot be reached, then the person learns it after the configured time",
    async () => {
      const startedAt = performance.now();
      expect((await ask("slow", "wait")).markdown).toContain("did not finish in time");
      expect((await ask("patient", "wait")).markdown).toContain("still working on this");
      expect((await ask("gone")).markdown).toContain("I cannot reach the agent");
      expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
    },
  );
});

describe("given an OpenAI-compatible server that wants to know the conversation", () => {
  proves(
    [
      "agents[].model(openai-compatible).idHeaders.conversation",
      "agents[].model(openai-compatible).idHeaders.person",
      "agents[].model(openai-compatible).idHeaders.trace",
    ],
    "when people write, then the named headers carry pseudonyms and the trace id; by default none is sent (T6)",
    async () => {
      const ann = mooring.client("ann", "ids");
      await ann.answerTo(ann.say("hello"));
      await ann.answerTo(ann.say("again"));
      await ann.answerTo(ann.command("new"));
      await ann.answerTo(ann.say("once more"));
      await ask("ids", "hello", "bob");
      const [first, second, third, other] = (await models.asked("ids")).map(({ headers }) => headers);
      expect(first?.["x-person"]).toMatch(/^[\w-]{43}$/);
      expect(first?.["x-conversation"]).toMatch(/^[\w-]{43}$/);
      expect(first?.["x-trace"]).toMatch(/^[0-9a-f]{32}$/);
      expect(second).toMatchObject({ "x-person": first?.["x-person"], "x-conversation": first?.["x-conversation"] });
      expect(second?.["x-trace"]).not.toBe(first?.["x-trace"]);
      expect(third?.["x-person"]).toBe(first?.["x-person"]);
      expect(third?.["x-conversation"]).not.toBe(first?.["x-conversation"]);
      expect(other?.["x-person"]).not.toBe(first?.["x-person"]);
      await ask("no-ids");
      const [plain] = await models.asked("no-ids");
      for (const name of ["x-person", "x-conversation", "x-trace"]) expect(plain.headers).not.toHaveProperty(name);
    },
  );
});
