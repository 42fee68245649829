import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { Gate } from "../../fakes/model-answer.ts";
import type { Post } from "../../fakes/teams/connector-api.ts";
import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import {
  CHANNEL_ROOM,
  messageBy,
  objectIdOf,
  privateRoomOf,
  type Said,
  TEAM_ID,
} from "../../fakes/teams/sent-activity.ts";
import { delegatingAnswer } from "./delegating-answer.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { heldItems, ONLY_HELD, quietSettings, yearly } from "./scheduled-run.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
let teams: FakeTeams;
const gate = new Gate();

beforeAll(async () => {
  teams = rig.owns(await FakeTeams.start());
  models = await rig.models();
  const base = { ...teams.config, agent: "mooring" };
  const quiet = Object.entries(quietSettings()).map(([name, more]) => ({ name: `teams-${name}`, more }));
  const channels = {
    web: { adapter: "web", agent: "mooring", identityKey: IDENTITY_KEY },
    teams: base,
    mate: { ...base, agent: "mate" },
    "other-app": { ...base, appId: randomUUID() },
    "other-password": { ...base, appPassword: "not-the-password" },
    "other-tenant": { ...base, tenantId: randomUUID() },
    "other-keys": { ...base, openIdMetadataUrl: `${teams.origin}/v1/nowhere` },
    "other-tokens": { ...base, tokenUrl: `${teams.origin}/nowhere` },
    "other-issuer": { ...base, issuer: "https://api.botframework.example" },
    "other-services": { ...base, serviceUrls: [`${teams.origin}/apac`] },
    "no-files": { ...base, fileHosts: ["files.example"] },
    origin: { ...base, delivery: { policy: "origin" } },
    whole: { ...base, streaming: false },
    ann: { ...base, access: { accounts: [objectIdOf("ann")] } },
    rare: { ...base, access: { messagesPerMinute: 1 } },
    "other-room": { ...base, access: { rooms: ["19:deck@thread.tacv2"] } },
    "other-team": { ...base, access: { teams: ["19:team-deck@thread.tacv2"] } },
    hearing: { ...base, access: { mentionOnly: false } },
    ...Object.fromEntries(quiet.map(({ name, more }) => [name, { ...base, ...more }])),
  };
  const schedules = quiet.map(({ name }) => yearly(name, { channel: name, room: CHANNEL_ROOM, workspace: TEAM_ID }));
  const account = objectIdOf("ann");
  mooring = await rig.start({
    agents: [
      { name: "mooring", model: models.named("mooring", delegatingAnswer(gate)), schedules },
      { name: "mate", model: models.named("mate") },
    ],
    channels,
    people: [{ name: "Ann", accounts: { web: "ann", teams: account, origin: account } }],
  });
});

const to = (channel: string) => {
  teams.endpoint = `${mooring.address}/channels/${channel}/messages`;
};
const say = (channel: string, said: Said) => {
  to(channel);
  return teams.say(said);
};
const textOf = ({ activity }: Post) => (activity.text ?? "").replace(/<[^>]*>/g, " ");
const posted = async (text: string) => {
  const isIt = (post: Post) => textOf(post).includes(text);
  return (await teams.api.posts.until((posts) => posts.some(isIt))).find(isIt);
};
const receivedTexts = () => models.requests("mooring").map(({ lastUserText }) => lastUserText);

describe("given bots in Teams with different settings", () => {
  proves(
    [
      "channels.*(teams).adapter",
      "channels.*(teams).agent",
      "channels.*(teams).appId",
      "channels.*(teams).tenantId",
      "channels.*(teams).openIdMetadataUrl",
      "channels.*(teams).issuer",
      "channels.*(teams).serviceUrls",
    ],
    "when Teams sends a message, then only channels with the matching app, tenant, keys, issuer and services accept it",
    async () => {
      const status = (channel: string) => say(channel, { text: `to ${channel}` });
      expect([await status("teams"), await status("mate")]).toEqual([200, 200]);
      await posted("You said: to teams");
      await posted("You said: to mate");
      expect(models.requests("mate").map(({ lastUserText }) => lastUserText)).toEqual(["to mate"]);
      for (const channel of ["other-app", "other-tenant", "other-issuer", "other-services"]) {
        expect([channel, await status(channel)]).not.toEqual([channel, 200]);
      }
      expect(await status("other-keys")).toBeGreaterThanOrEqual(500);
    },
  );

  proves(
    ["channels.*(teams).appPassword", "channels.*(teams).tokenUrl"],
    "when an answer is sent, then the bot signs in at the configured address, with its password",
    async () => {
      const before = teams.api.posts.items.length;
      await say("other-password", { text: "with a wrong password" });
      await say("other-tokens", { text: "at another address" });
      await expect.poll(() => teams.requests.join()).toContain("/nowhere/");
      await say("teams", { text: "with the right one" });
      await posted("with the right one");
      expect(teams.api.posts.items.slice(before).map(textOf).join()).not.toMatch(/wrong password|another address/);
    },
  );

  proves(
    ["channels.*(teams).fileHosts"],
    "when a person attaches a file, then it is read if the channel allows its host",
    async () => {
      teams.files.set("/files/a.txt", Buffer.from("the words of the file"));
      const attachments = [
        {
          contentType: "application/vnd.microsoft.teams.file.download.info",
          name: "a.txt",
          content: { downloadUrl: `${teams.origin}/files/a.txt`, fileType: "txt" },
        },
      ];
      await say("no-files", { text: "read it not", more: { attachments } });
      await posted("read it not");
      await say("teams", { text: "read it", more: { attachments } });
      await expect.poll(() => receivedTexts().join()).toContain("the words of the file");
      expect(receivedTexts().filter((text) => text.includes("the words of the file"))).toHaveLength(1);
    },
  );

  proves(
    ["channels.*(teams).access.accounts", "channels.*(teams).access.messagesPerMinute"],
    "when people write, then each channel answers the accounts that it admits, and refuses the others with a notice",
    async () => {
      await say("ann", { text: "bob on hers", person: "bob" });
      await posted("may not talk to the agent here");
      await say("ann", { text: "ann on hers" });
      await posted("You said: ann on hers");
      await say("rare", { text: "once" });
      await say("rare", { text: "twice" });
      await posted("more than 1 messages in a minute");
    },
  );

  proves(
    ["channels.*(teams).access.rooms", "channels.*(teams).access.teams", "channels.*(teams).access.mentionOnly"],
    "when people write in a team, then each channel accepts the messages that its access rules admit",
    async () => {
      await say("teams", { text: "not to the bot", conversationType: "channel", mention: false });
      await say("hearing", { text: "not to this bot", conversationType: "channel", mention: false });
      await posted("not to this bot");
      await say("other-room", { text: "in a closed room", conversationType: "channel" });
      await say("other-team", { text: "in a closed team", conversationType: "channel" });
      await say("teams", { text: "in an open room", conversationType: "channel" });
      await posted("in an open room");
      expect(receivedTexts().filter((text) => /not to the bot|closed/.test(text))).toEqual([]);
    },
  );

  proves(
    ["channels.*(teams).streaming"],
    "when an answer takes a while, then a channel that streams shows a draft, and another only the complete answer",
    async () => {
      await say("whole", { text: "tides on the whole", person: "bob" });
      await expect.poll(receivedTexts).toContain("tides on the whole");
      await say("teams", { text: "tides in pieces" });
      // A second stream that starts later still shows a draft before the final reply.
      await posted("The tide");
      await say("teams", { text: "tides in the channel", conversationType: "channel" });
      const begun = () => teams.api.posts.items.filter((post) => textOf(post).includes("The tide"));
      await teams.api.posts.until(() => begun().length >= 2);
      expect(begun().filter(({ conversationId }) => conversationId === privateRoomOf("bob"))).toEqual([]);
      gate.release();
      await posted("comes in (tides on the whole)");
    },
  );

  proves(
    [
      "channels.*(teams).delivery.quietHours.from",
      "channels.*(teams).delivery.quietHours.to",
      "channels.*(teams).delivery.quietHours.timeZone",
      "channels.*(teams).timeZone",
    ],
    "when schedules have results, then they are held on the one channel where quiet hours apply",
    async () => {
      for (const name of Object.keys(quietSettings())) {
        to(`teams-${name}`);
        await teams.install("add", { conversationType: "channel" });
      }
      expect(await heldItems(mooring, "teams")).toEqual(ONLY_HELD);
    },
  );

  proves(
    ["channels.*(teams).delivery.policy"],
    "when work that began on a channel ends, then other channels of the person show it too, unless the policy is origin",
    async () => {
      const client = mooring.client("ann", "web", visitorToken("ann"));
      await client.answerTo(client.say("hello"));
      const results = () => client.replies().filter(({ markdown }) => markdown?.includes("Here is everything"));
      const inTeams = () => teams.api.posts.items.filter((post) => textOf(post).includes("Here is everything"));
      await say("origin", { text: "research knots" });
      await teams.api.posts.until(() => inTeams().length === 1);
      await say("teams", { text: "research ropes" });
      await client.until(() => results().length > 0, "the result that began in Teams");
      expect(results().map(({ anchor }) => anchor?.channel)).toEqual(["teams"]);
    },
  );

  it("given a message whose event does not name its team, when its work ends elsewhere, then the anchor links to it (O12)", async () => {
    const client = mooring.client("ann", "web", visitorToken("ann"));
    await client.answerTo(client.say("hello"));
    const said: Said = { text: "research anchors", conversationType: "channel" };
    to("teams");
    await teams.install("add", { conversationType: "channel" });
    const message = messageBy(teams, said, teams.api.nextId());
    const channelData = { tenant: { id: teams.tenantId }, team: { id: TEAM_ID }, teamsTeamId: TEAM_ID };
    teams.installIn("channel");
    await teams.send({ ...message, channelData });
    const links = () => client.replies().map(({ anchor }) => (anchor as { link?: string } | undefined)?.link);
    await client.until(() => links().some((link) => link?.includes("teams.microsoft.com/l/message")), "the link");
  });
});
