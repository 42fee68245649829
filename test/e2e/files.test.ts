import { afterEach, beforeAll, expect, it } from "vitest";
import { says } from "../fakes/model-answer.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let model: ScriptedModelServer;
let deployment: Deployment;
afterEach(async () => {
  await deployment.dispose();
  await model.stop();
});

it("when a visitor attaches a text file in the widget, then the agent reads it", async () => {
  model = await ScriptedModelServer.start(({ lastUserText }) => says(`I read: ${lastUserText.split("\n")[2]}`));
  const agent = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" };
  deployment = await Deployment.create(plainConfig({ agents: [{ name: "mooring", model: agent }] }));
  const address = await deployment.run("start").running;
  const client = deployment.with(new WebClient("visitor", () => address));
  await client.until(() => client.room !== undefined, "a welcome");
  const file = await client.upload("tides.txt", "high at noon");
  const answer = await client.answerTo(client.say("what does it say?", undefined, [file]));
  expect(answer.markdown).toBe("I read: high at noon");
});
