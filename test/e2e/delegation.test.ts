import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { type LogItem, WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

const TOPICS = ["lighthouses", "tides", "knots"];
let model: ScriptedModelServer;
let deployment: Deployment;
/** Holds the subagent that works on knots. */
let knots: Gate;
beforeEach(async () => {
  knots = new Gate();
  model = await ScriptedModelServer.start(answer);
  deployment = await Deployment.create(
    plainConfig({
      agents: [
        {
          name: "mooring",
          model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
        },
      ],
    }),
  );
});
afterEach(async () => {
  await deployment.dispose();
  await model.stop();
});

/** A model that delegates, and recognises its role by its prompt. */
const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) {
    return lastUserText.includes("knots") ? says([knots, "all about knots"]) : says(`all about ${lastUserText}`);
  }
  if (lastUserText.startsWith("[")) return says("Here is everything, in short.");
  if (toolOutputs.length > 0) return says("I am on it.");
  const tasks = TOPICS.map((name) => ({ name, prompt: name }));
  return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
};

const start = async () => {
  const mooring = deployment.run("start");
  let address = await mooring.running;
  const client = deployment.with(new WebClient("visitor", () => address));
  const restart = async () => {
    mooring.kill("SIGKILL");
    await mooring.exited;
    address = await deployment.run("start").running;
  };
  return { client, restart, address: () => address };
};
const finals = (client: WebClient): LogItem[] => client.replies().filter(({ kind }) => kind === "final");
const entries = (client: WebClient): LogItem[] => client.log.filter(({ activity }) => activity !== undefined);
const statesIn = (item: LogItem | undefined) => item?.activity?.items.map(({ state }) => state);
const isOver = (client: WebClient) => entries(client).at(-1)?.kind === "completion" && finals(client).length >= 2;

/** The messages of a turn that delegates, as people see them in every case. */
const expectOneAnswer = (client: WebClient, asked: string): void => {
  expect(finals(client).map(({ markdown, correlationId }) => [markdown, correlationId])).toEqual([
    ["I am on it.", asked],
    ["Here is everything, in short.", undefined],
  ]);
  const [first, ...rest] = entries(client);
  expect(first).toMatchObject({ type: "reply", kind: "progress" });
  expect(rest.map(({ type }) => type)).toEqual(rest.map(() => "edit"));
  expect(new Set(entries(client).map(({ id }) => id)).size).toBe(1);
  expect(entries(client).filter(({ kind }) => kind === "completion")).toHaveLength(1);
  const revisions = entries(client).map(({ activity }) => activity?.revision ?? 0);
  expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  expect(client.log.map(({ seq }) => seq)).toEqual(client.log.map((_, index) => index + 1));
};

describe("given a visitor at the widget's socket, counted in frames (B)", () => {
  it("when a turn delegates, then there are an announcement, one activity entry, and one answer", async () => {
    const { client } = await start();
    const asked = client.say("research lighthouses, tides and knots");
    await client.answerTo(asked);
    const twoDone = () => statesIn(entries(client).at(-1))?.filter((state) => state === "completed").length === 2;
    await client.until(twoDone, "two of three");
    expect(finals(client)).toHaveLength(1);
    knots.release();
    await client.until(() => isOver(client), "the answer");
    expectOneAnswer(client, asked);
    expect(statesIn(entries(client).at(-1))).toEqual(["completed", "completed", "completed"]);
    expect(entries(client).at(-1)?.activity?.items[0]).toMatchObject({
      name: "lighthouses",
      result: "all about lighthouses",
    });
  });

  it("when all processes are killed meanwhile, then there is still one entry and one answer (S11)", async () => {
    const { client, restart } = await start();
    const asked = client.say("research lighthouses, tides and knots");
    await client.answerTo(asked);
    await client.until(() => entries(client).length > 0, "the activity entry");
    await restart();
    knots.release();
    await client.until(() => isOver(client), "the answer");
    expectOneAnswer(client, asked);
  });

  it("when a new session starts meanwhile, then clients are notified, and the rest has an anchor (O8, I3)", async () => {
    const { client } = await start();
    const asked = client.say("research lighthouses, tides and knots");
    const before = (await client.answerTo(asked)).sessionId;
    expect(client.sessionId).toBe(before);
    await client.until(() => entries(client).length > 0, "the activity entry");
    const after = (await client.answerTo(client.command("new"))).sessionId;
    expect(after).not.toBe(before);
    client.cut();
    await client.until(() => client.sessionId === after, "a welcome in the new session");
    knots.release();
    await client.until(() => isOver(client), "the answer");
    expectOneAnswer(client, asked);
    expect(finals(client).at(-1)?.anchor?.summary).toContain("research lighthouses");
    expect(entries(client).at(-1)?.anchor?.summary).toContain("research lighthouses");
  });

  it("when the visitor cancels one subtask, then the entry and the answer continue without it (I3)", async () => {
    const { client } = await start();
    const asked = client.say("research lighthouses, tides and knots");
    const stateOfKnots = () => entries(client).at(-1)?.activity?.items[2];
    await client.until(() => stateOfKnots()?.state === "running", "knots to run");
    const notice = await client.answerTo(client.command("cancel", stateOfKnots()?.id));
    expect(notice).toMatchObject({ kind: "notice", markdown: expect.stringContaining("knots") });
    await client.until(() => isOver(client), "the answer");
    expectOneAnswer(client, asked);
    expect(stateOfKnots()?.state).toBe("cancelled");
  });

  it("when another visitor tries to cancel it, then the command is refused, and the subtask continues", async () => {
    const { client, address } = await start();
    client.say("research lighthouses, tides and knots");
    const item = () => entries(client).at(-1)?.activity?.items[2];
    await client.until(() => item()?.state === "running", "knots to run");
    const stranger = deployment.with(new WebClient("stranger", address));
    const notice = await stranger.answerTo(stranger.command("cancel", item()?.id));
    expect(notice).toMatchObject({ kind: "notice" });
    expect(entries(stranger)).toEqual([]);
    knots.release();
    await client.until(() => isOver(client), "the answer");
    expect(item()?.state).toBe("completed");
  });
});
