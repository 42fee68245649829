import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openNatsBackbone } from "../../core/backbone/nats/open-nats-backbone.ts";
import type { Backbone } from "../../core/contract/backbone.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { backgroundTask } from "../core/subtasks/delegating.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { type LogItem, WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

/** "brief", "delegate", "silent": what a schedule's run would do. */
const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says(`all about ${lastUserText}`);
  if (lastUserText.startsWith("[")) return says("Everything, in short.");
  if (lastUserText === "silent") return calls([{ name: "nothing_to_say", arguments: {} }]);
  if (lastUserText !== "delegate") return says(`re ${lastUserText}`);
  if (toolOutputs.length > 0) return says("Not for people: others are on it.");
  const tasks = ["tides", "knots", "ropes"].map((name) => ({ name, prompt: name }));
  return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
};

let nats: NatsServer;
let model: ScriptedModelServer;
let deployment: Deployment;
let backbone: Backbone;
let address: string;
beforeAll(async () => {
  await requireFreshBuild();
  [nats, model] = await Promise.all([NatsServer.start(), ScriptedModelServer.start(answer)]);
  const { baseUrl } = model;
  deployment = await Deployment.create(
    plainConfig({
      backbone: { nats: { servers: [nats.url] } },
      agents: [
        { name: "mooring", model: { provider: "openai-compatible", baseUrl, model: "scripted", apiKey: "none" } },
      ],
    }),
  );
  address = await deployment.run("start").running;
  backbone = await openNatsBackbone({ servers: [nats.url] });
});
afterAll(async () => {
  await backbone.close();
  await deployment.dispose();
  await model.stop();
  await nats.stop();
});

/** Somebody at the widget, for whom a schedule's run begins as core would begin it. */
const visitor = async (name: string) => {
  const client = deployment.with(new WebClient(name, () => address));
  await client.until(() => client.room !== undefined, "a welcome");
  const conversation = { channel: "web", room: client.room ?? "", kind: "private" as const };
  const run = async (text: string) => {
    const { synthetic, ...message } = backgroundTask(`${name}-run`, text);
    if (synthetic === undefined) throw new Error("a task is synthetic");
    const audience = { ...synthetic.audience, conversation };
    const task = { ...message, conversation, synthetic: { ...synthetic, audience } };
    const options = { id: task.id, key: conversationKey(conversation) };
    await backbone.bus.publish(subjectsOf("default").userMessage("mooring"), task, options);
  };
  /** Everything that was logged, once a word that came after it all is answered. */
  const logged = async (): Promise<LogItem[]> => {
    await client.answerTo(client.say("hello"));
    return client.log;
  };
  return { client, run, logged };
};
const framesOf = (log: readonly LogItem[]) =>
  log.filter(({ activity }) => activity === undefined).map(({ kind, type, markdown }) => [kind ?? type, markdown]);
const HELLO = [
  ["said", undefined],
  ["final", "re hello"],
];

describe("given a schedule's run, at the widget's socket, counted in frames (B)", () => {
  it("when it delegates nothing, then there is one final", async () => {
    const { client, run, logged } = await visitor("plain");
    await run("brief");
    await client.until(() => client.replies().length > 0, "the brief");
    const log = await logged();
    expect(framesOf(log)).toEqual([["final", "re brief"], ...HELLO]);
    expect(log[0]).toMatchObject({ anchor: { summary: "Morning brief" } });
    expect(log[0]).not.toHaveProperty("correlationId");
  });

  it("when it delegates, then there is one answer, one activity entry, and not a word of its own", async () => {
    const { client, run, logged } = await visitor("delegating");
    await run("delegate");
    const entries = () => client.log.filter(({ activity }) => activity !== undefined);
    await client.until(
      () => client.replies().some(({ kind }) => kind === "final") && entries().at(-1)?.kind === "completion",
      "the answer and the end of the activity entry",
    );
    expect(framesOf(await logged())).toEqual([["final", "Everything, in short."], ...HELLO]);
    const [first, ...rest] = entries();
    expect(first?.type).toBe("reply");
    expect(rest.every(({ type, id }) => type === "edit" && id === first?.id)).toBe(true);
    expect(entries().filter(({ kind }) => kind === "completion")).toHaveLength(1);
  });

  it("when it has nothing to say, then there is nothing (B7)", async () => {
    const { run, logged } = await visitor("silent");
    await run("silent");
    expect(framesOf(await logged())).toEqual(HELLO);
  });
});
