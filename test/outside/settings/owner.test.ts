import { describe, expect } from "vitest";
import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { proves } from "./proves.ts";
import { SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();

describe("given the assistant of one person on Slack and the web", () => {
  proves(
    ["owner.name", "owner.accounts"],
    "when the owner and others write, then the owner gets answers, and others get a message that it serves its owner only (I1)",
    async () => {
      const slack = rig.owns(await FakeSlack.start());
      const { botToken, apiUrl, signingSecret } = slack;
      const mooring = await rig.start({
        owner: { name: "Ann", accounts: { slack: "U0ANN" } },
        groups: { operator: ["Ann"] },
        channels: { web: { adapter: "web" }, slack: { adapter: "slack", botToken, apiUrl, signingSecret } },
      });
      slack.sendEventsTo(`${mooring.address}/channels/slack/events`);
      const posted = (text: string) =>
        slack.until((posts) => posts.some((post) => JSON.stringify(post).includes(text)));
      await slack.say({ text: "ann here", user: "U0ANN" });
      await posted("ann here");
      await slack.say({ text: "bob here", user: "U0BOB" });
      await posted("serves its owner only");

      const stranger = mooring.client("stranger");
      await stranger.until(() => stranger.errors.length > 0, "a refusal");
      expect(stranger.errors[0]).toMatchObject({ code: "token-not-owner" });
    },
  );
});
