import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { says } from "../fakes/model-answer.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import type { MooringProcess } from "./mooring-process.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

const BOT = "<@U0BOT>";
let slack: FakeSlack;
let model: ScriptedModelServer;
const cleanUp: (() => Promise<void>)[] = [];
beforeEach(async () => {
  slack = await FakeSlack.start();
  model = await ScriptedModelServer.start(({ lastUserText }) => says(`You said: ${lastUserText}`));
  cleanUp.push(
    () => slack.stop(),
    () => model.stop(),
  );
});
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

interface Product {
  readonly gateway: MooringProcess;
  readonly address: string;
  /** The gateway dies, and another one begins. */
  replaceGateway(): Promise<Product>;
}

/** The built product with a Slack channel, in one process or as gateway and core on a real nats-server. */
const run = async (backbone: "embedded" | "nats", way: object): Promise<Product> => {
  const nats = backbone === "nats" ? await NatsServer.start() : undefined;
  if (nats) cleanUp.push(() => nats.stop());
  const { botToken, apiUrl } = slack;
  const deployment = await Deployment.create(
    plainConfig({
      backbone: nats ? { nats: { servers: [nats.url], leaseMs: 1_000 } } : "embedded",
      agents: [
        {
          name: "mooring",
          model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
        },
      ],
      channels: { web: { adapter: "web" }, slack: { adapter: "slack", botToken, apiUrl, ...way } },
    }),
  );
  cleanUp.push(() => deployment.dispose());
  if (nats) await deployment.run("core").running;
  const start = async (): Promise<Product> => {
    const gateway = deployment.run(nats ? "gateway" : "start");
    const address = await gateway.running;
    return {
      gateway,
      address,
      async replaceGateway() {
        gateway.kill("SIGKILL");
        await gateway.exited;
        return start();
      },
    };
  };
  return start();
};

const overHttp = () => ({ signingSecret: slack.signingSecret });
const overSocket = () => ({ appToken: slack.appToken });
const answers = () => slack.posted.map(({ room, thread, text }) => ({ room, thread, text }));

describe.each(["embedded", "nats"] as const)("given Mooring on %s, and a person in Slack", (backbone) => {
  it("when they write over HTTP, each event twice, then each gets one answer, where it was asked", async () => {
    const { address } = await run(backbone, overHttp());
    slack.sendEventsTo(`${address}/channels/slack/events`);
    const direct = { text: "hello", ts: slack.world.nextTs() };
    const room = { room: "C0LOBBY", text: `${BOT} hi there`, ts: slack.world.nextTs() };
    expect(await slack.say(direct)).toMatchObject({ answer: "acknowledged" });
    await slack.say({ ...direct, retry: { num: 1, reason: "http_timeout" } });
    await slack.say({ ...room, as: "app_mention" });
    await slack.say({ ...room, as: "message" });
    await slack.until((posted) => posted.length >= 2);
    await slack.say({ text: "the last", ts: slack.world.nextTs() });
    await slack.until((posted) => posted.length >= 3);
    expect(answers()).toEqual(
      expect.arrayContaining([
        { room: "D0ANN", thread: undefined, text: "You said: hello" },
        { room: "C0LOBBY", thread: room.ts, text: "You said: ann: hi there" },
        { room: "D0ANN", thread: undefined, text: "You said: the last" },
      ]),
    );
    expect(slack.posted).toHaveLength(3);
    expect(await slack.post({ body: "{}", contentType: "application/json", secret: "forged" })).toMatchObject({
      status: 401,
    });
  });

  it("when the gateway is killed, then what they write meanwhile is answered over the next socket", async () => {
    const product = await run(backbone, overSocket());
    await slack.sockets.greeted.count(1);
    await slack.say({ text: "before" });
    await slack.until((posted) => posted.length >= 1);
    const replacing = product.replaceGateway();
    await product.gateway.exited;
    await slack.say({ text: "meanwhile" });
    await replacing;
    await slack.until((posted) => posted.length >= 2);
    expect(answers().map(({ text }) => text)).toEqual(["You said: before", "You said: meanwhile"]);
  });
});
