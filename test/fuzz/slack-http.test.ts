import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSlack } from "../adapters/slack/running-slack.ts";
import { asForm } from "../fakes/slack/event-posts.ts";
import { buttonPress, envelopeOf, mentionEvent, messageEvent, slashCommand } from "../fakes/slack/payloads.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutated, mutatedText } from "./mutated.ts";

/** The fields of a form are text. */
const asText = (fields: unknown): object =>
  Object.fromEntries(
    Object.entries(Object(fields)).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );

describe("given malformed requests with a valid signature of Slack (F19)", () => {
  it("when they arrive, then each gets a documented answer, and the next valid one is received", async () => {
    const { slack, accepted } = await runSlack("http");
    const { world } = slack;
    const words = { user: "U0ANN", room: "D0ANN", text: "hello", ts: "1700000000.000100" };
    const events = [messageEvent(world, words), mentionEvent(world, { ...words, room: "C0LOBBY" })];
    const message = { room: "D0ANN", ts: "1700000000.000200", user: "U0BOT", text: "", blocks: [], attachments: [] };
    const press = buttonPress(world, { user: "U0ANN", message, actionId: "mooring:cancel:0", value: "w-1" });
    const command = slashCommand(world, { user: "U0ANN", room: "D0ANN", text: "help", trigger: "t" });
    const inJson = [
      ...events.map((event) => envelopeOf(world, event, "Ev1")),
      { type: "url_verification", challenge: "c" },
    ];
    const posts = fc.oneof(
      mutatedText(inJson).map((body) => ({ body, contentType: "application/json" })),
      mutatedText([press]).map((payload) => asForm({ payload })),
      mutated([command]).map((fields) => asForm(asText(fields))),
    );
    const harm = watchHarm();
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(posts, async (post) => {
        const { status } = await slack.post(post);
        expect(status).toBe(200);
        const text = `still ${++cases}`;
        expect((await accepted(slack.say({ text }))).text).toBe(text);
      }),
      fuzzRuns(150),
    );
    harm.expectNone();
  });
});
