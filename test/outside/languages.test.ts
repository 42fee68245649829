import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { hostToken, IDENTITY_KEY } from "../adapters/web/identity/host-jwt.ts";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { calls, fails, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { type Backbone, Product } from "./product.ts";
import { ModelBoard } from "./settings/model-board.ts";

beforeAll(requireFreshBuild);

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const GERMAN_ERROR = "Mein Sprachmodell nimmt meine Zugangsdaten nicht an.";
const SPANISH_ERROR = "Mi modelo de lenguaje no acepta mis credenciales.";
const TEA = { description: "tea", prompt: "tea", when: "in 2 seconds" };

const script = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolOutputs.length > 0) return says("ok");
  if (lastUserText === "break") return fails(401);
  return lastUserText === "remind me" ? calls([{ name: "schedule_task", arguments: TEA }]) : says("hello");
};

describe.each<Backbone>(["embedded", "nats"])("given people of other languages, on %s", (backbone) => {
  it("when one chose German and the other's Slack is Spanish, then commands, errors and anchors are in these languages, also after a restart", async () => {
    const models = await ModelBoard.start();
    cleanUp.push(() => models.stop());
    const slack = await FakeSlack.start();
    cleanUp.push(() => slack.stop());
    slack.world.users.set("U0ANN", { id: "U0ANN", name: "ann", locale: "es-ES" });
    const { apiUrl, signingSecret, botToken } = slack;
    const product = await Product.create({
      backbone,
      config: {
        agents: [{ name: "mooring", model: models.named("primary", script) }],
        channels: {
          web: { adapter: "web", identityKey: IDENTITY_KEY },
          slack: { adapter: "slack", botToken, apiUrl, signingSecret },
        },
      },
    });
    cleanUp.push(() => product.dispose());
    const run = async () => {
      const core = backbone === "nats" ? await product.start("core") : undefined;
      await core?.ready();
      const gateway = await product.start(backbone === "nats" ? "gateway" : "start");
      await gateway.ready();
      return { address: gateway.address, end: () => Promise.all([core, gateway].map((one) => one?.end("SIGKILL"))) };
    };
    let mooring = await run();
    slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
    const token = hostToken({ sub: "max", exp: Date.now() / 1_000 + 3_600 });
    const max = product.client("max", () => mooring.address, token);
    const command = async (name: string, args?: string) => (await max.answerTo(max.command(name, args))).markdown ?? "";

    expect(await command("language", "de-AT")).toContain("Meine Hinweise schreibe ich auf Deutsch.");
    expect(await command("help")).toContain("`/help`: diese Liste zeigen");
    expect((await max.answerTo(max.say("break"))).markdown).toContain(GERMAN_ERROR);
    await max.answerTo(max.say("remind me"));
    const isReminder = ({ correlationId, anchor }: { correlationId?: unknown; anchor?: unknown }) =>
      correlationId === undefined && anchor !== null && anchor !== undefined;
    await max.until(() => max.replies().some(isReminder), "the reminder");
    const [reminder] = max.replies().filter(isReminder);
    expect(reminder?.anchor).toMatchObject({
      language: "de",
      text: expect.stringMatching(/^geplant · tea · .+\nerbeten \d\d:\d\d in Web · /),
    });

    await slack.say({ text: "break" });
    await slack.until((posts) => posts.some(({ text }) => text.includes(SPANISH_ERROR)));

    await mooring.end();
    mooring = await run();
    expect(await command("help")).toContain("`/help`: diese Liste zeigen");
  });
});
