import fc from "fast-check";
import { describe, it } from "vitest";
import { runSlack } from "../adapters/slack/running-slack.ts";
import { envelopeOf, messageEvent, slashCommand } from "../fakes/slack/payloads.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutatedText } from "./mutated.ts";

describe("given malformed envelopes on Slack's socket (F19)", () => {
  it("when they arrive, then the socket stays open or a new one is opened, and the next valid message is received", async () => {
    const { slack, inbox } = await runSlack("socket");
    const { world } = slack;
    const words = { user: "U0ANN", room: "D0ANN", text: "hello", ts: "1700000000.000100" };
    const event = envelopeOf(world, messageEvent(world, words), "Ev1");
    const command = slashCommand(world, { user: "U0ANN", room: "D0ANN", text: "help", trigger: "t" });
    const rest = { accepts_response_payload: false, retry_attempt: 0, retry_reason: "" };
    const frames = [
      { envelope_id: "e-1", type: "events_api", payload: event, ...rest },
      { envelope_id: "e-2", type: "slash_commands", payload: command, ...rest, accepts_response_payload: true },
      { envelope_id: "e-3", type: "interactive", payload: { type: "block_actions", actions: [] }, ...rest },
      { type: "hello", num_connections: 1, connection_info: { app_id: world.appId }, debug_info: { host: "local" } },
    ];
    const harm = watchHarm();
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(mutatedText(frames), async (frame) => {
        slack.sockets.sendRaw(frame);
        const text = `still ${++cases}`;
        void slack.say({ text });
        await inbox.accepted.until((messages) => messages.some((message) => message.text === text));
      }),
      fuzzRuns(150),
    );
    harm.expectNone();
  });
});
