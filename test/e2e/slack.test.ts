import { beforeAll, describe, expect, it } from "vitest";
import { says } from "../fakes/model-answer.ts";
import { requireFreshBuild } from "./mooring-process.ts";
import { SlackRig } from "./slack-rig.ts";

beforeAll(requireFreshBuild);

const BOT = "<@U0BOT>";
const rig = new SlackRig(({ lastUserText }) => says(`You said: ${lastUserText}`));
const answers = () => rig.slack.posted.map(({ room, thread, text }) => ({ room, thread, text }));

describe.each(["embedded", "nats"] as const)("given Mooring on %s, and a person in Slack", (backbone) => {
  it("when they write over HTTP, each event twice, then each gets one answer, where it was asked", async () => {
    await rig.run(backbone, "http");
    const { slack } = rig;
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
    const product = await rig.run(backbone, "socket");
    const { slack } = rig;
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
