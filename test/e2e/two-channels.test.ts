import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { type LogItem, WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { linkAccounts } from "./link-accounts.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

const ASK = "research lighthouses and knots";
const ANSWER = "Here is everything, in short.";
let undo: (() => Promise<void>)[];
let model: ScriptedModelServer;
/** Holds the subagents. */
let work: Gate;
beforeEach(async () => {
  undo = [];
  work = new Gate();
  model = await ScriptedModelServer.start(answer);
  undo.push(() => model.stop());
});
afterEach(async () => {
  for (const step of undo.reverse()) await step();
});

const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says([work, "all about it"]);
  if (lastUserText.startsWith("[")) return says(ANSWER);
  if (!lastUserText.startsWith("research")) return says("A plain answer.");
  if (toolOutputs.length > 0) return says("I am on it.");
  const tasks = ["lighthouses", "knots"].map((name) => ({ name, prompt: name }));
  return calls([{ name: "spawn_parallel_subtasks", arguments: { tasks } }]);
};

const backbones = {
  embedded: async () => "embedded",
  nats: async () => {
    const nats = await NatsServer.start();
    undo.push(() => nats.stop());
    return { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } };
  },
};

/** The product with two instances of the web adapter, one of which stands for another channel. */
const start = async (backbone: keyof typeof backbones) => {
  const deployment = await Deployment.create(
    plainConfig({
      backbone: await backbones[backbone](),
      agents: [
        {
          name: "mooring",
          model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
        },
      ],
      channels: { web: { adapter: "web" }, "web-b": { adapter: "web" } },
    }),
  );
  undo.push(() => deployment.dispose());
  let mooring = deployment.run("start");
  let address = await mooring.running;
  return {
    client: (name: string, channel: string) => deployment.with(new WebClient(name, () => address, channel)),
    restart: async () => {
      mooring.kill("SIGKILL");
      await mooring.exited;
      mooring = deployment.run("start");
      address = await mooring.running;
    },
  };
};

const finals = (client: WebClient): LogItem[] => client.replies().filter(({ kind }) => kind === "final");
const shown = (client: WebClient) =>
  finals(client).map(({ markdown, correlationId, anchor }) => [
    markdown,
    correlationId ?? "unsolicited",
    anchor?.summary,
  ]);

describe.each(["embedded", "nats"] as const)("given a person on two channels, on %s", (backbone) => {
  it("when the work of the second message ends after a restart, then each channel shows it once, only the other with an anchor (O8, D2, D3)", async () => {
    const { client, restart } = await start(backbone);
    const [web, other] = [client("ann", "web"), client("ann-b", "web-b")];
    const strangers = [client("eve", "web"), client("eve-b", "web-b")];
    for (const stranger of strangers) await stranger.answerTo(stranger.say("hello"));
    await linkAccounts(web, other);
    const first = web.say("hello");
    await web.answerTo(first);
    const second = web.say(ASK);
    await web.answerTo(second);
    await restart();
    work.release();
    await web.until(() => finals(web).length === 3, "the answer where the work began");
    await other.until(() => finals(other).length === 1, "the answer in the other view");
    expect(shown(web)).toEqual([
      ["A plain answer.", first, undefined],
      ["I am on it.", second, undefined],
      [ANSWER, "unsolicited", undefined],
    ]);
    expect(shown(other)).toEqual([[ANSWER, "unsolicited", ASK]]);

    // Both sessions contain the answer (O15).
    for (const [one, text] of [
      [web, "what was that?"],
      [other, "and what was this?"],
    ] as const) {
      await one.answerTo(one.say(text));
      expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain(ANSWER);
    }
    for (const stranger of strangers) expect(finals(stranger)).toHaveLength(1);

    // After unlinking, work of one account is no longer shown to the other.
    await other.answerTo(other.command("unlink"));
    await web.answerTo(web.say(ASK));
    await web.until(() => finals(web).length === 6, "the second answer");
    await other.answerTo(other.say("anything?"));
    expect(finals(other).filter(({ markdown }) => markdown === ANSWER)).toHaveLength(1);
  });
});
