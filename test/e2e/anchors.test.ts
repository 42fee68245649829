import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { type LogItem, WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let model: ScriptedModelServer;
let deployment: Deployment;
let tides: Gate;
beforeEach(async () => {
  tides = new Gate();
  model = await ScriptedModelServer.start(answer);
  const provider = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" };
  deployment = await Deployment.create(
    plainConfig({
      agents: [{ name: "mooring", model: provider }],
      channels: { web: { adapter: "web" }, "web-b": { adapter: "web" } },
    }),
  );
});
afterEach(async () => {
  await deployment.dispose();
  await model.stop();
});

const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says([tides, "all about tides"]);
  if (lastUserText.startsWith("[")) return says("Here is what I found.");
  if (!lastUserText.startsWith("research")) return says("A plain answer.");
  if (toolOutputs.length > 0) return says("I am on it.");
  return calls([{ name: "spawn_subtask", arguments: { name: "tides", prompt: "tides" } }]);
};

const isAnswer = ({ kind, correlationId }: LogItem) => kind === "final" && correlationId === undefined;
const answers = (client: WebClient) => client.replies().filter(isAnswer);
const notice = async (client: WebClient, name: string, args = "") =>
  (await client.answerTo(client.command(name, args))).markdown ?? "";

/** A person on two channels, linked by a code that both sides confirm; and another person on one of them. */
const start = async () => {
  const address = await deployment.run("start").running;
  const at = (name: string, channel: string) => deployment.with(new WebClient(name, () => address, channel));
  const [ann, annB, stranger] = [at("ann", "web"), at("ann-b", "web-b"), at("stranger", "web-b")];
  for (const client of [ann, annB, stranger]) await client.answerTo(client.say("hello"));
  const code = /`([A-Z0-9]{5}-[A-Z0-9]{5})`/.exec(await notice(ann, "link"))?.[1];
  const asked = await annB.answerTo(annB.command("link", code));
  const confirm = asked.actions?.find(({ value }) => value?.startsWith("confirm"))?.value ?? "";
  await notice(annB, "link", confirm);
  expect(await notice(ann, "link", confirm)).toContain("Linked");
  return { ann, annB, stranger };
};

describe("given a linked person who sees on one channel the result of work that began on another", () => {
  it("when they answer it there, then the work continues there, and `why` explains it (O13, O14, O15)", async () => {
    const { ann, annB, stranger } = await start();
    await ann.answerTo(ann.say("research the tides"));
    tides.release();
    await annB.until(() => answers(annB).length > 0, "the answer on the other channel");
    const { id = "", actions } = answers(annB)[0] ?? {};
    expect(actions).toMatchObject([{ name: "why", value: expect.any(String) }]);
    const why = await notice(annB, "why", actions?.[0]?.value);
    expect(why).toContain("What was asked:** “research the tides”");
    expect(why).toContain("- tides: completed");
    expect(await notice(stranger, "why", actions?.[0]?.value)).toContain("I found no message here");

    await annB.answerTo(annB.say("and at noon?", id));
    const seen = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect(seen).toContain("This is the history of that conversation");
    expect(seen).toContain("I am on it.");
    await annB.answerTo(annB.say("thanks"));
    const later = JSON.stringify(model.requests.at(-1)?.body.messages);
    expect(later).toContain("[shown here later about");
    expect(later).not.toContain("This is the history of that conversation");
  });
});
