import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { hostToken, IDENTITY_KEY } from "../adapters/web/identity/host-jwt.ts";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { calls, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { type Backbone, Product } from "./product.ts";
import { ModelBoard } from "./settings/model-board.ts";

beforeAll(requireFreshBuild);

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const HOUR_MS = 3_600_000;
/** The time of day in this many hours, in UTC. */
const at = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);
/** Six hours ahead of UTC all year. */
const ZONE = "Asia/Dhaka";
const ZONE_HOURS = 6;

/** Passes the words of the person to the tool, and its result back to the person. */
const script = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  const [, when] = /^remind me (.+)$/.exec(lastUserText) ?? [];
  const [, id] = /^run (\S+)$/.exec(lastUserText) ?? [];
  const description = when?.startsWith("every") ? "stand up" : "drink tea";
  if (toolOutputs.length > 0) return says(toolOutputs.at(-1) ?? "");
  if (when) return calls([{ name: "schedule_task", arguments: { description, prompt: description, when } }]);
  return id ? calls([{ name: "run_schedule_now", arguments: { id } }]) : says(`You said: ${lastUserText}`);
};

const start = async (backbone: Backbone) => {
  const models = await ModelBoard.start();
  cleanUp.push(() => models.stop());
  const slack = await FakeSlack.start();
  cleanUp.push(() => slack.stop());
  const { apiUrl, signingSecret, botToken } = slack;
  const product = await Product.create({
    backbone,
    config: {
      agents: [{ name: "mooring", model: models.named("primary", script) }],
      people: [{ name: "Ann", accounts: { web: "ann", slack: "U0ANN" } }],
      channels: {
        web: { adapter: "web", identityKey: IDENTITY_KEY },
        slack: { adapter: "slack", botToken, apiUrl, signingSecret },
      },
    },
  });
  cleanUp.push(() => product.dispose());
  if (backbone === "nats") await (await product.start("core")).ready();
  const mooring = await product.start(backbone === "nats" ? "gateway" : "start");
  await mooring.ready();
  slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
  const token = hostToken({ sub: "ann", exp: (Date.now() + HOUR_MS) / 1_000 });
  const ann = product.client("ann", mooring.address, token);
  const ask = async (text: string) => (await ann.answerTo(ann.say(text))).markdown ?? "";
  const command = async (name: string, args?: string) => (await ann.answerTo(ann.command(name, args))).markdown ?? "";
  await slack.say({ text: "hello" });
  await slack.until((posts) => posts.length > 0);
  return { ann, slack, ask, command };
};

const CHOSEN = "That time is inside the quiet hours. It is delivered at that time all the same";

describe.each<Backbone>(["embedded", "nats"])(
  "given a person in quiet hours, on the web and on Slack, on %s",
  (backbone) => {
    it("when a reminder of theirs is due, then it is shown where they set it and held elsewhere; other schedules are held on both (D2, M2)", async () => {
      const { ann, slack, ask, command } = await start(backbone);
      await command("quiet", `${at(-2)}-${at(2)} UTC`);
      const posts = slack.posted.length;
      expect(await ask("remind me in 2 seconds")).toContain(CHOSEN);
      const shown = (summary: string) =>
        ann.replies().filter((reply) => reply.correlationId === undefined && reply.anchor?.summary === summary);
      await ann.until(() => shown("drink tea").length > 0, "the reminder at its time");
      await expect.poll(() => command("status")).toMatch(/- 1 message waits for you on Slack, until \d/);

      const daily = await ask("remind me every day at 9");
      expect(daily).not.toContain(CHOSEN);
      await ask(`run ${/schedule-[0-9a-f]{8}/.exec(daily)?.[0]}`);
      await expect.poll(() => command("status")).toMatch(/- \d+ messages? waits? for you on Web, until \d/);
      expect(shown("stand up")).toEqual([]);
      expect(slack.posted).toHaveLength(posts);
      expect(shown("drink tea")).toHaveLength(1);
    });

    it("when they name a time of day, then its zone is theirs, and the answer says whether the time is inside (D2, M2)", async () => {
      const { ask, command } = await start(backbone);
      await command("quiet", `${at(-2)}-${at(2)} UTC`);
      await command("timezone", ZONE);
      expect(await ask(`remind me tomorrow at ${at(ZONE_HOURS)}`)).toContain(CHOSEN);
      expect(await ask(`remind me tomorrow at ${at(0)}`)).not.toContain(CHOSEN);
    });
  },
);
