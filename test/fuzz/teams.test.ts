import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TeamsUnderTest } from "../adapters/teams/teams-under-test.ts";
import { activityBy, messageBy } from "../fakes/teams/sent-activity.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutated } from "./mutated.ts";

const test = new TeamsUnderTest();

/** 401: another recipient or tenant. 501: an invoke. */
const DOCUMENTED = new Set([200, 400, 401, 501]);

describe("given malformed activities with a valid signature of Teams (F19)", () => {
  it("when they arrive, then each gets a documented answer, and the next valid one is received", async () => {
    const { teams } = test;
    const file = { contentType: "application/vnd.microsoft.teams.file.download.info", name: "a.txt", content: {} };
    const activities = [
      messageBy(teams, { text: "hello" }, "1"),
      messageBy(teams, { text: "hello", conversationType: "channel", more: { attachments: [file] } }, "2"),
      { ...messageBy(teams, {}, "3"), value: { mooring: "cancel", args: "w-1" }, replyToId: "0" },
      { ...activityBy(teams, {}, "4"), type: "conversationUpdate", membersAdded: [{ id: `28:${teams.appId}` }] },
      { ...activityBy(teams, {}, "5"), type: "installationUpdate", action: "remove" },
    ];
    const harm = watchHarm();
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(mutated(activities), async (activity) => {
        expect(DOCUMENTED).toContain(await teams.send(activity));
        const text = `still ${++cases}`;
        expect((await test.received({ text, person: `p${cases}` })).text).toBe(text);
      }),
      fuzzRuns(100),
    );
    harm.expectNone();
  });
});
