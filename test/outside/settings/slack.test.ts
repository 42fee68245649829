import { beforeAll, describe, expect, it } from "vitest";
import { Gate } from "../../fakes/model-answer.ts";
import { FakeSlack, type Saying } from "../../fakes/slack/fake-slack.ts";
import { delegatingAnswer } from "./delegating-answer.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { beginRun, heldItems, ONLY_HELD, quietSettings, runSchedule, yearly } from "./scheduled-run.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
let slack: FakeSlack;
let branch: FakeSlack;
const OTHER_SECRET = "another-signing-secret-0123456789";
const gate = new Gate();
/** The target of reports without a person. */
const HOME = { room: "G0GROUP", thread: "1700000000.000100" };

beforeAll(async () => {
  [slack, branch] = [rig.owns(await FakeSlack.start()), rig.owns(await FakeSlack.start())];
  branch.botToken = "xoxb-0-branch";
  models = await rig.models();
  const { botToken, apiUrl, signingSecret } = slack;
  const base = { adapter: "slack", agent: "mooring", botToken, apiUrl, signingSecret };
  const quiet = Object.entries(quietSettings()).map(([name, more]) => [`slack-${name}`, { ...base, ...more }]);
  const channels = {
    web: { adapter: "web", agent: "mooring", identityKey: IDENTITY_KEY },
    slack: base,
    "slack-mate": { ...base, agent: "mate" },
    "slack-branch": { ...base, botToken: branch.botToken, apiUrl: branch.apiUrl, signingSecret: OTHER_SECRET },
    "slack-socket": { ...base, signingSecret: undefined, appToken: slack.appToken, agent: "mate" },
    "slack-origin": { ...base, delivery: { policy: "origin" } },
    "slack-german": { ...base, locale: "de" },
    "slack-whole": { ...base, streaming: false },
    "slack-eyes": { ...base, reactions: true },
    "slack-lobby": { ...base, access: { rooms: ["C0LOBBY"] } },
    "slack-hearing": { ...base, access: { mentionOnly: false } },
    "slack-ann": { ...base, access: { accounts: ["U0ANN"] } },
    "slack-rare": { ...base, access: { messagesPerMinute: 1 } },
    "slack-guests": { ...base, access: { teams: ["T0OTHER"] } },
    ...Object.fromEntries(quiet),
  };
  slack.world.addRoom("C0DECK", "channel");
  const inLobby = (channel: string) => yearly(channel, { channel, room: "C0LOBBY", workspace: slack.world.teamId });
  const schedules = [
    ...Object.keys(quietSettings()).map((name) => inLobby(`slack-${name}`)),
    inLobby("slack"),
    inLobby("slack-german"),
    inLobby("slack-lobby"),
    yearly("slack-home"),
    yearly("slack-deck-lost", { channel: "slack-lobby", room: "C0DECK", workspace: slack.world.teamId }),
  ];
  const accounts = { web: "ann", slack: "U0ANN", "slack-origin": "U0ANN" };
  mooring = await rig.start({
    agents: [
      {
        name: "mooring",
        model: models.named("mooring", delegatingAnswer(gate)),
        schedules,
        home: { channel: "slack", workspace: slack.world.teamId, ...HOME },
      },
      { name: "mate", model: models.named("mate") },
    ],
    channels,
    people: [{ name: "Ann", accounts }],
  });
});

const say = (channel: string, saying: Saying) => {
  slack.sendEventsTo(`${mooring.address}/channels/${channel}/events`);
  return slack.say(saying);
};
const inLobby = (text: string): Saying => ({ room: "C0LOBBY", text: `<@U0BOT> ${text}`, as: "app_mention" });
const posted = async (text: string, at = slack) => {
  const isIt = (post: { text: string }) => post.text.includes(text);
  return (await at.until((posts) => posts.some(isIt))).find(isIt);
};

describe("given channels in one Slack workspace, and one in another", () => {
  proves(
    [
      "channels.*(slack).adapter",
      "channels.*(slack).agent",
      "channels.*(slack).botToken",
      "channels.*(slack).apiUrl",
      "channels.*(slack).signingSecret",
    ],
    "when a person writes, then the channel's agent answers there, with its token, if the signature is the channel's",
    async () => {
      await say("slack", { text: "hello" });
      await posted("You said: hello");
      await say("slack-mate", { text: "ahoy" });
      await posted("You said: ahoy");
      expect(models.requests("mate").at(-1)?.lastUserText).toContain("ahoy");
      const signed = (secret: string) => {
        slack.sendEventsTo(`${mooring.address}/channels/slack-branch/events`);
        const body = JSON.stringify({ type: "url_verification", challenge: "c" });
        return slack.post({ body, contentType: "application/json", secret });
      };
      expect((await signed(slack.signingSecret)).status).toBe(401);
      expect((await signed(OTHER_SECRET)).status).toBe(200);
      expect(branch.calls.items.map(({ method }) => method)).toContain("auth.test");
    },
  );

  proves(
    ["channels.*(slack).appToken"],
    "when a channel has an app token, then it receives messages over Socket Mode",
    async () => {
      await slack.sockets.greeted.count(1);
      expect(slack.calls.items.filter(({ method }) => method === "apps.connections.open")).toHaveLength(1);
      expect(mooring.process.stderr()).not.toContain("invalid_auth");
    },
  );

  proves(
    [
      "channels.*(slack).access.accounts",
      "channels.*(slack).access.messagesPerMinute",
      "channels.*(slack).access.teams",
    ],
    "when people write, then each channel answers the accounts that it admits, and refuses the others with a notice",
    async () => {
      await say("slack", { text: "bob on all", user: "U0BOB" });
      await posted("You said: bob on all");
      await say("slack-ann", { text: "bob on hers", user: "U0BOB" });
      await posted("may not talk to the agent here");
      await say("slack-ann", { text: "ann on hers" });
      await posted("You said: ann on hers");
      await say("slack-rare", { text: "once" });
      await say("slack-rare", { text: "twice" });
      await posted("more than 1 messages in a minute");
      slack.world.addUser({ id: "U0GUEST", name: "guest", team: "T0OTHER" });
      const guest = { user: "U0GUEST", more: { user_team: "T0OTHER" } };
      await say("slack-guests", { ...inLobby("a guest here"), ...guest });
      await posted("a guest here");
      await say("slack", { ...inLobby("a guest there"), ...guest });
      await say("slack", { text: "after the guest" });
      await posted("You said: after the guest");
      expect(models.requests("mooring").some(({ lastUserText }) => lastUserText.includes("a guest there"))).toBe(false);
    },
  );

  proves(
    [
      "channels.*(slack).access.rooms",
      "channels.*(slack).access.mentionOnly",
      "agents[].home.channel",
      "agents[].home.workspace",
      "agents[].home.room",
      "agents[].home.thread",
    ],
    "when people write in rooms, then each channel reads and writes where its access rules admit, or in the home",
    async () => {
      const lobby = { room: "C0LOBBY", text: "nobody is called" };
      await say("slack", lobby);
      await say("slack-hearing", { ...lobby, text: "nobody is called here" });
      await posted("nobody is called here");
      await say("slack-lobby", { ...inLobby("on deck"), room: "C0DECK" });
      await posted("does not listen in this room");
      await say("slack-lobby", inLobby("in the lobby"));
      await posted("in the lobby");
      const receivedTexts = models.requests("mooring").map(({ lastUserText }) => lastUserText);
      expect(receivedTexts.filter((text) => text.endsWith("nobody is called") || text.includes("on deck"))).toEqual([]);

      // Access is checked again when an answer is sent; an answer without a target is reported in the agent's home.
      expect((await runSchedule(mooring, "slack-lobby")).map(({ state }) => state)).toEqual(["accepted"]);
      await beginRun(mooring, "slack-deck-lost");
      expect(await posted("slack-deck-lost")).toMatchObject(HOME);
      expect(slack.posted.filter(({ room, text }) => room === "C0DECK" && text.includes("Say"))).toEqual([]);
      const [atHome] = await runSchedule(mooring, "slack-home");
      expect(atHome?.conversation).toEqual({ channel: "slack", workspace: slack.world.teamId, ...HOME });
    },
  );

  proves(
    ["channels.*(slack).reactions"],
    "when a channel has reactions, then a message that has reached the agent is marked; by default it is not",
    async () => {
      await say("slack", { text: "without a mark", user: "U0BOB" });
      await say("slack-eyes", { text: "with a mark" });
      const [seen] = await slack.world.reacted.count(1);
      expect(slack.world.find(seen?.room ?? "", seen?.ts ?? "")?.text).toBe("with a mark");
      await posted("You said: without a mark");
      expect(slack.world.reacted.items).toHaveLength(1);
    },
  );

  proves(
    ["channels.*(slack).streaming"],
    "when an answer takes a while, then a channel that streams shows a draft, and another only the complete answer",
    async () => {
      await say("slack-whole", { text: "tides on the whole", user: "U0BOB" });
      await expect.poll(() => models.requests("mooring").at(-1)?.lastUserText).toContain("tides on the whole");
      await say("slack", { text: "tides in pieces" });
      await posted("The tide …");
      // A second stream that starts later still shows a draft before the final reply.
      await say("slack", inLobby("tides in the lobby"));
      const begunIn = (name: string) =>
        slack.posted.filter(({ room, text }) => room === name && text.startsWith("The tide"));
      await slack.until(() => begunIn("C0LOBBY").length > 0);
      expect(begunIn("D0BOB")).toEqual([]);
      gate.release();
      await posted("comes in (tides on the whole)");
      await posted("comes in (tides in pieces)");
    },
  );

  proves(
    [
      "channels.*(slack).delivery.quietHours.from",
      "channels.*(slack).delivery.quietHours.to",
      "channels.*(slack).delivery.quietHours.timeZone",
      "channels.*(slack).timeZone",
    ],
    "when schedules have results, then they are held on the one channel where quiet hours apply",
    async () => {
      expect(await heldItems(mooring, "slack")).toEqual(ONLY_HELD);
    },
  );

  proves(
    ["channels.*(slack).locale"],
    "when a room has readers of unknown language, then times in its notifications have the channel's format",
    async () => {
      await runSchedule(mooring, "slack");
      await runSchedule(mooring, "slack-german");
      expect((await posted('You said: Scheduled task "slack"'))?.text).toContain("just now");
      expect((await posted('You said: Scheduled task "slack-german"'))?.text).toContain("jetzt");
    },
  );

  proves(
    ["channels.*(slack).delivery.policy"],
    "when work that began on a channel ends, then other channels of the person show it too, unless the policy is origin",
    async () => {
      const ann = mooring.client("ann", "web", visitorToken("ann"));
      await ann.answerTo(ann.say("hello"));
      const results = () => ann.replies().filter(({ markdown }) => markdown?.includes("Here is everything"));
      await say("slack-origin", { text: "research knots" });
      await posted("Here is everything about it.");
      await say("slack", { text: "research ropes" });
      await ann.until(() => results().length > 0, "the result that began in Slack");
      expect(results().map(({ anchor }) => anchor?.channel)).toEqual(["slack"]);
    },
  );

  it("given no limit in the configuration, when a person sends more than 120 messages in a minute, then they get a notice", async () => {
    slack.world.addUser({ id: "U0CARL", name: "carl" });
    const isNotified = () => slack.posted.some(({ text }) => text.includes("more than 120 messages in a minute"));
    let sent = 0;
    for (; sent < 400 && !isNotified(); sent += 20) {
      const some = Array.from({ length: 20 }, (_, at) => say("slack-mate", { text: `${sent + at}`, user: "U0CARL" }));
      await Promise.all(some);
    }
    expect(sent).toBeGreaterThan(100);
    expect(sent).toBeLessThan(400);
  });
});
