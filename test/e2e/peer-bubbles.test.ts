import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { type LogItem, WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

/** Holds the pilots' answer about the tide. */
let tide: Gate;
const models: ScriptedModelServer[] = [];
let deployment: Deployment;
let address: string;
beforeAll(async () => {
  await requireFreshBuild();
  const agent = async (name: string, peers: readonly string[], answer: (request: ModelRequest) => ModelAnswer) => {
    const model = await ScriptedModelServer.start(answer);
    models.push(model);
    const provider = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" };
    return { name, model: provider, peers };
  };
  deployment = await Deployment.create(
    plainConfig({
      tenants: { default: { a2aAsync: true } },
      agents: [
        await agent("mooring", ["harbour"], primary),
        await agent("harbour", ["mooring", "pilots"], harbour),
        await agent("pilots", ["harbour"], ({ lastUserText }) => says([tide, `pilots: ${wanted(lastUserText)}`])),
      ],
      channels: { web: { adapter: "web", agent: "mooring" } },
    }),
  );
  address = await deployment.run("start").running;
});
afterAll(async () => {
  await deployment.dispose();
  await Promise.all(models.map((model) => model.stop()));
});

const wanted = (text: string): string => text.split("\n").at(-1) ?? "";
const asks = (agent: string, message: string, msg_type: string): ModelAnswer =>
  calls([{ name: "send_message_to_agent", arguments: { agent, message, msg_type } }]);

/** "delegate …" and "consult …" go to the peer; "research …" to a subtask, which asks the peer. */
const primary = ({ lastUserText: text, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) {
    if (text.startsWith("[answer")) return says(`I was told: ${wanted(text)}`);
    return toolOutputs.length > 0 ? says("I wait for it.") : asks("harbour", text, "task_delegate");
  }
  if (text.startsWith("[")) return says(`In short: ${wanted(text)}`);
  const [how, what = ""] = text.split(/ (.*)/);
  if (how === "consult")
    return toolOutputs.length > 0 ? says(wanted(toolOutputs[0] ?? "")) : asks("harbour", what, how);
  if (toolOutputs.length > 0) return says("I am on it.");
  if (how === "delegate") return asks("harbour", what, "task_delegate");
  return how === "research"
    ? calls([{ name: "spawn_subtask", arguments: { name: what, prompt: what } }])
    : says(`re ${text}`);
};

/** Knows everything but the tide, about which it asks the pilots. */
const harbour = ({ lastUserText: text, toolOutputs }: ModelRequest): ModelAnswer => {
  if (text.startsWith("[answer")) return says(`harbour: ${wanted(text)}`);
  if (!wanted(text).includes("tide")) return says(`harbour: ${wanted(text)}`);
  return toolOutputs.length > 0 ? says("The pilots know.") : asks("pilots", "tide?", "task_delegate");
};

const visitor = async (name: string) => {
  tide = new Gate();
  const client = deployment.with(new WebClient(name, () => address));
  await client.until(() => client.room !== undefined, "a welcome");
  return client;
};
const entries = ({ log }: WebClient): LogItem[] => log.filter(({ activity }) => activity !== undefined);
const answers = (client: WebClient) =>
  client.replies().filter(({ kind, correlationId }) => kind === "final" && correlationId === undefined);
const isOver = (client: WebClient) => entries(client).at(-1)?.kind === "completion" && answers(client).length > 0;

/** Every frame but those of the activity entry, once a word that came after it all is answered. */
const frames = async (client: WebClient) => {
  await client.answerTo(client.say("hello"));
  return client.log
    .filter(({ activity }) => activity === undefined)
    .map(({ kind, type, markdown, correlationId }) => [kind ?? type, markdown, correlationId]);
};
const expectOneEntry = (client: WebClient): void => {
  const [first, ...rest] = entries(client);
  expect(first?.type).toBe("reply");
  expect(rest.every(({ type, id }) => type === "edit" && id === first?.id)).toBe(true);
  expect(entries(client).filter(({ kind }) => kind === "completion")).toHaveLength(1);
};

describe("given a person at the widget's socket and agents that ask each other, counted in frames (B)", () => {
  it("when a turn delegates to a peer, then there are an announcement, one entry and one final, and why names every hop (O13)", async () => {
    const client = await visitor("delegating");
    const asked = client.say("delegate the tide");
    await client.answerTo(asked);
    await client.until(() => entries(client).length > 0, "the activity entry");
    tide.release();
    await client.until(() => isOver(client), "the answer");
    const { markdown: why = "" } = await client.answerTo(client.command("why", answers(client)[0]?.id));
    const shown = (await frames(client)).filter(([kind]) => kind !== "notice");
    expect(shown.slice(0, 3)).toEqual([
      ["said", undefined, undefined],
      ["final", "I am on it.", asked],
      ["final", "In short: harbour: pilots: tide?", undefined],
    ]);
    expect(shown.filter(([kind]) => kind === "final")).toHaveLength(3);
    expectOneEntry(client);
    expect(why).toContain("another agent had answered what it was asked for it");
    expect(why).toContain("- Asking harbour: the tide: answered\n  - Asking pilots: tide?: answered");
  });

  it("when a turn consults a peer, then there is one final", async () => {
    const client = await visitor("consulting");
    const asked = client.say("consult the depth");
    await client.answerTo(asked);
    expect(await frames(client)).toEqual([
      ["said", undefined, undefined],
      ["final", "harbour: the depth", asked],
      ["said", undefined, undefined],
      ["final", "re hello", expect.any(String)],
    ]);
  });

  it("when a subtask calls a peer, then it waits for the answer, and that shows in the one answer only (S10)", async () => {
    const client = await visitor("researching");
    const asked = client.say("research the tide");
    await client.answerTo(asked);
    await client.until(() => entries(client).length > 0, "the activity entry");
    tide.release();
    await client.until(() => isOver(client), "the answer");
    expect(await frames(client)).toEqual([
      ["said", undefined, undefined],
      ["final", "I am on it.", asked],
      ["final", "In short: I was told: harbour: pilots: tide?", undefined],
      ["said", undefined, undefined],
      ["final", "re hello", expect.any(String)],
    ]);
    expectOneEntry(client);
  });
});
