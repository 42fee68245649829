import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Gate, says } from "../fakes/model-answer.ts";
import { requireFreshBuild } from "./mooring-process.ts";
import { SlackRig } from "./slack-rig.ts";

beforeAll(requireFreshBuild);

const BOT = "<@U0BOT>";
/** The model waits for them when it is asked about the tides. */
let gates: [Gate, Gate];
beforeEach(() => {
  gates = [new Gate(), new Gate()];
});
const rig = new SlackRig(({ lastUserText }) =>
  lastUserText.includes("tides")
    ? says(["The tide ", gates[0], "comes in. ", gates[1], "Twice a day."])
    : says(`You said: ${lastUserText}`),
);
const answers = () => rig.slack.posted.map(({ room, thread, text }) => ({ room, thread, text }));

describe.each(["embedded", "nats"] as const)("given Mooring on %s, and a person in Slack", (backbone) => {
  it("when each event arrives twice over HTTP, then each message gets one answer in its conversation", async () => {
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
    const json = { contentType: "application/json" };
    expect(await slack.post({ body: "{}", ...json, secret: "forged" })).toMatchObject({ status: 401 });
    expect(await slack.post({ body: " ".repeat(3_000_001), ...json })).toMatchObject({ status: 413 });
  });

  it("when the gateway is killed, then messages from the meantime are answered over the next socket", async () => {
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

  it("when the gateway is killed while it streams an answer, then its draft becomes the complete answer (D4)", async () => {
    const product = await rig.run(backbone, "socket");
    const { slack } = rig;
    const showing = (text: string) => slack.until(([first]) => first?.text === text);
    await slack.sockets.greeted.count(1);
    await slack.say({ text: "what about the tides?" });
    await showing("The tide …");
    gates[0].release();
    await showing("The tide comes in. …");
    await product.replaceGateway();
    gates[1].release();
    await showing("The tide comes in. Twice a day.");
    await slack.say({ text: "thanks" });
    await slack.until((posted) => posted.length >= 2);
    expect(answers().map(({ text }) => text)).toEqual(["The tide comes in. Twice a day.", "You said: thanks"]);
  });
});

describe("given commands and buttons in Slack, with gateway and core in one process", () => {
  it("when a slash command is used in a room, then only its caller sees the answer, in the room or else in private (I3)", async () => {
    await rig.run("embedded", "http");
    const { slack } = rig;
    await slack.command({ text: "help", room: "C0LOBBY" });
    await slack.until((posted) => posted.length >= 1);
    expect(slack.posted).toMatchObject([{ room: "C0LOBBY", onlyFor: "U0ANN", text: expect.stringContaining("inbox") }]);
    // The app is not a member of this room.
    await slack.command({ text: "help", room: "C0ELSEWHERE" });
    await slack.until((posted) => posted.length >= 2);
    expect(slack.posted[1]).toMatchObject({ room: "D0ANN", text: expect.stringContaining("inbox") });
  });

  it("when an answer cannot be delivered, then `inbox` lists it, and its button sends it again (D6)", async () => {
    await rig.run("embedded", "http");
    const { slack } = rig;
    let refusals = 0;
    slack.faultIn = (method) => (method === "chat.postMessage" && refusals++ === 0 ? "restricted_action" : undefined);
    await slack.say({ text: "hello" });
    await slack.until(() => refusals > 0);
    const isListed = () => slack.posted.some(({ text }) => text.includes("may not have reached you"));
    while (!isListed()) {
      const before = slack.posted.length;
      await slack.say({ text: "/inbox" });
      await slack.until((posted) => posted.length > before);
    }
    const [list] = slack.posted.slice(-1);
    expect(list?.text).toContain("“You said: hello”");
    if (list) await slack.press(list, "Send 1 again");
    await slack.until((posted) => posted.some(({ text }) => text === "You said: hello"));
  });
});
