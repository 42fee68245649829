import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
import type { FakeChat } from "../fakes/telegram/world.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { requireFreshBuild } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let telegram: FakeTelegram;
let model: ScriptedModelServer;
let ann: FakeChat;
const cleanUp: (() => Promise<void>)[] = [];
beforeEach(async () => {
  telegram = await FakeTelegram.start();
  model = await ScriptedModelServer.start(answer);
  ann = telegram.world.privateChat("ann");
  cleanUp.push(
    () => telegram.stop(),
    () => model.stop(),
  );
});
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** Delegates when it is asked to research, and recognises its role by its prompt. */
const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says("all about knots");
  if (lastUserText.startsWith("[")) return says("Here is everything about knots.");
  if (!lastUserText.includes("research")) return says(`You said: ${lastUserText}`);
  if (toolOutputs.length > 0) return says("I am on it.");
  return calls([{ name: "spawn_subtask", arguments: { name: "knots", prompt: "knots" } }]);
};

/** The built product with a Telegram channel, in one process or as a gateway and a core on a real nats-server. */
const deploy = async (backbone: "embedded" | "nats", more: { channels?: object; people?: object[] } = {}) => {
  const nats = backbone === "nats" ? await NatsServer.start() : undefined;
  if (nats) cleanUp.push(() => nats.stop());
  const { token: botToken, apiUrl } = telegram;
  const deployment = await Deployment.create(
    plainConfig({
      backbone: nats ? { nats: { servers: [nats.url], leaseMs: 2_000, partitions: 4 } } : "embedded",
      agents: [
        {
          name: "mooring",
          model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted", apiKey: "none" },
        },
      ],
      channels: { telegram: { adapter: "telegram", botToken, apiUrl, access: { accounts: "*" } }, ...more.channels },
      people: more.people ?? [],
    }),
  );
  cleanUp.push(() => deployment.dispose());
  if (nats) await deployment.run("core").running;
  const start = async () => {
    const gateway = deployment.run(nats ? "gateway" : "start");
    await gateway.running;
    return gateway;
  };
  return { deployment, start };
};
const answers = () => telegram.posted.map(({ text }) => text);
const until = (text: string) => telegram.world.changes.until(() => answers().some((each) => each.includes(text)));

describe.each(["embedded", "nats"] as const)("given Mooring on %s, and a person in Telegram (C8)", (backbone) => {
  it("when they write in private and in a topic, then each message gets one answer in its conversation", async () => {
    const { start } = await deploy(backbone);
    await start();
    await telegram.say({ person: "ann", in: ann, text: "hello" });
    await until("You said: hello");
    const { group } = telegram.world;
    await telegram.say({ person: "ann", in: group, text: "hi there", mention: true, topic: 901 });
    await until("hi there");
    expect(telegram.posted).toMatchObject([
      { chat: { id: ann.id }, text: "You said: hello" },
      {
        chat: { id: group.id },
        message_thread_id: 901,
        text: expect.stringContaining("hi there"),
        reply_to: expect.any(Number),
      },
    ]);
    await telegram.say({ person: "ann", in: ann, text: "/start" });
    await until("/cancel");
    expect(telegram.methods.menus.items[0]?.commands).toContainEqual(expect.objectContaining({ command: "help" }));
  });

  it("when work is delegated on one bot, then another bot shows its result below an anchor, with a button (O9)", async () => {
    const other = await FakeTelegram.start();
    cleanUp.push(() => other.stop());
    const there = other.world.privateChat("ann");
    const { token: botToken, apiUrl } = other;
    const { start } = await deploy(backbone, {
      channels: { second: { adapter: "telegram", botToken, apiUrl, access: { accounts: "*" } } },
      people: [{ name: "Ann", accounts: { telegram: String(ann.id), second: String(there.id) } }],
    });
    await start();
    await other.say({ person: "ann", in: there, text: "hello" });
    await other.untilPosted(1);
    await telegram.say({ person: "ann", in: ann, text: "research knots" });
    await until("everything about knots");
    const found = () => other.posted.find(({ text }) => text.includes("everything about knots"));
    await other.world.changes.until(() => found() !== undefined);
    const shown = found();
    expect(shown?.text).toMatch(/^↳ Re: "research knots"\nstarted .+ from Telegram · .+\n/);
    expect(shown?.entities).toContainEqual(expect.objectContaining({ type: "blockquote", offset: 0 }));
    if (shown === undefined) return;
    await other.send([other.press("ann", shown, "Why?")]);
    await other.world.changes.until(() =>
      other.posted.some(({ text }) => text.includes("research knots") && text !== shown.text),
    );
  });
});

describe("given Mooring in one process", () => {
  it("when it is killed, then messages from the meantime are answered once after a restart (D4)", async () => {
    const { start } = await deploy("embedded");
    const gateway = await start();
    await telegram.say({ person: "ann", in: ann, text: "before" });
    await until("You said: before");
    gateway.kill("SIGKILL");
    await gateway.exited;
    const meanwhile = telegram.say({ person: "ann", in: ann, text: "meanwhile" });
    await start();
    await meanwhile;
    await telegram.say({ person: "ann", in: ann, text: "after" });
    await until("You said: after");
    expect(answers()).toEqual(["You said: before", "You said: meanwhile", "You said: after"]);
  });

  it("when the configuration is checked while it runs, then the channels are checked too, and its use of the data is only noted", async () => {
    const { deployment, start } = await deploy("embedded");
    await start();
    const fine = deployment.run("check", ["--live"]);
    expect(await fine.exited).toMatchObject({ code: 0 });
    expect(fine.stdout()).toMatch(/note +backbone: .+ is in use by process \d+\..+\(fine if that is Mooring itself\)/);
    expect(fine.stdout()).toContain("channel telegram: its platform accepts the configuration");
    telegram.token = "7000000001:another-token-since-then";
    const stale = deployment.run("check", ["--live"]);
    expect(await stale.exited).toMatchObject({ code: 1 });
    expect(stale.stdout()).toMatch(/problem +channel telegram: .*botToken/);
  });
});
