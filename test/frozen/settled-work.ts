import { linkInSlack } from "../e2e/link-in-slack.ts";
import { teamsFaults } from "../fakes/teams/fault.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { callAgent } from "./call-agent.ts";
import type { Stage } from "./stage.ts";

/** Long enough for a summary by the model. */
const LONG = "the history of every lighthouse between Bergen and Stavanger, with its lens, its keepers and its storms";

/** Completed work on every channel, with each kind of record that it stores. */
export const settleWork = async (stage: Stage, visitor: WebClient): Promise<void> => {
  await talkOnTheWeb(stage, visitor);
  await talkOnPlatforms(stage, visitor);
  await askOtherAgents(stage, visitor);
  await delegate(stage, visitor);
  await schedule(stage, visitor);
  await refuseDeliveries(stage);
  await operate(stage);
};

const talkOnTheWeb = async (stage: Stage, visitor: WebClient): Promise<void> => {
  await visitor.answerTo(visitor.say("hello from the first session #first"));
  for (let round = 0; round < 6; round++) {
    await visitor.answerTo(visitor.say(`a long story #story-${round} ${"about tides and knots ".repeat(100)}`));
  }
  await visitor.answerTo(visitor.say("a turn that fails #failed"));
  await visitor.answerTo(visitor.command("new"));
  await visitor.answerTo(visitor.say("hello again #second"));
  const file = await visitor.upload("tides.txt", "high water at noon");
  await visitor.answerTo(visitor.say("read this #file", undefined, [file]));
  const shopper = stage.visitor("shopper", undefined, "shop");
  await shopper.answerTo(shopper.say("hello from the shop #shop"));
  // A log of this length stores a hint of its end.
  for (let round = 0; round < 34; round++) await shopper.answerTo(shopper.command("ahoy"));
};

const talkOnPlatforms = async (stage: Stage, visitor: WebClient): Promise<void> => {
  const { slack, discord, teams } = stage.platforms;
  await slack.say({ text: "hello from Slack #slack" });
  await stage.until("Slack's answer", () => slack.posted.some(({ text }) => text.includes("#slack")));
  await linkInSlack(slack, visitor, slack.world.nextTs());
  const lobby = { room: "C0LOBBY", user: "U0BOB", as: "app_mention" as const };
  await slack.say({ ...lobby, text: `<@${slack.world.botUserId}> hello from the lobby #lobby` });
  await stage.until("the lobby's answer", () => slack.posted.some(({ text }) => text.includes("#lobby")));

  const { world } = discord;
  const room = world.addRoom(world.addGuild("harbour"));
  const own = world.privateChannel(world.person("cat"));
  discord.gateway.drop();
  const connected = () => discord.rest.calls.items.some(({ path }) => /^\/applications\/\d+\/commands$/.test(path));
  await stage.until("Discord's connection", () => connected() && discord.gateway.live.length > 0);
  discord.say({ person: "cat", in: own, text: "hello from Discord #discord" });
  discord.say({ person: "cat", in: room, text: "hello from a server #guild", mention: true });
  const said = (tag: string) => discord.posted.some(({ content }) => content.includes(tag));
  await stage.until("Discord's answers", () => said("#discord") && said("#guild"));
  const help = discord.command("cat", room, "help");
  await stage.until("the slash command's answer", () => help.answers.length > 0);

  const isShown = (tag: string) => teams.api.posts.items.some(({ activity }) => activity.text?.includes(tag));
  await teams.say({ text: "hello from Teams #teams", person: "bob" });
  await teams.say({ text: "hello from a channel #channel", person: "bob", conversationType: "channel" });
  await stage.until("Teams' answers", () => isShown("#teams") && isShown("#channel"));
};

const askOtherAgents = async (stage: Stage, visitor: WebClient): Promise<void> => {
  const { hooked, hookUrl } = stage.platforms;
  await stage.admin("tenants/default", "PATCH", { a2aAsync: true, confirm: true });
  await visitor.answerTo(visitor.say("ask harbour how deep it is #consult"));
  await visitor.answerTo(visitor.say("leave to harbour the depths #local"));
  await visitor.answerTo(visitor.say("leave to weather the forecast #remote"));
  await visitor.answerTo(visitor.say("leave to weather what must fail #refused"));
  const resultsOf = (tag: string) => visitor.replies().filter(({ markdown }) => markdown?.includes(`Result of ${tag}`));
  await stage.until(
    "the other agents' results",
    () => resultsOf("#local").length > 0 && resultsOf("#remote").length > 0,
  );

  await callAgent(stage.address, "SendMessage", {
    message: { messageId: "called-1", contextId: "ctx-1", text: "how deep is it? #called", skill: "facts" },
    hookUrl,
  });
  await stage.until("the caller's webhook", () => hooked.items.length > 0);
  const { task } = await callAgent(stage.address, "SendMessage", {
    message: { messageId: "called-2", contextId: "ctx-2", text: "hold it #unwanted", skill: "facts" },
    atOnce: true,
  });
  await callAgent(stage.address, "CancelTask", { taskId: task.id });
};

const delegate = async (stage: Stage, visitor: WebClient): Promise<void> => {
  const { weather, script } = stage.platforms;
  const results = (client: WebClient) => client.replies().filter(({ markdown }) => markdown?.startsWith("Result of"));
  const untilResult = async (client: WebClient, text: string): Promise<void> => {
    const before = results(client).length;
    await client.answerTo(client.say(text));
    await stage.until(`the result of "${text}"`, () => results(client).length > before);
  };
  await untilResult(visitor, `delegate #batch {report progress on tides #job-a} {fail at knots #job-b} ${LONG}`);
  await untilResult(visitor, "delegate {ask the owner #job-c}");
  await untilResult(stage.visitor("builder", undefined, "yard"), "delegate {write a file #job-d}");

  await visitor.answerTo(visitor.say("delegate {ask weather for a late forecast #late-job}"));
  const isAsked = () => weather.received.some((message) => JSON.stringify(message).includes("#late-job"));
  await stage.until("the subtask's call", isAsked);
  const open = async () => (await stage.admin("subtasks")).items;
  for (const { ref } of await open()) await stage.admin(`subtasks/${ref}/cancel`, "POST");
  await stage.until("the cancelled subtask", async () => (await open()).length === 0);
  script.lateAnswers.release();
  const isFolded = () => results(visitor).some(({ markdown }) => markdown?.includes("#late-job"));
  await stage.until("the late answer", isFolded);
};

const schedule = async (stage: Stage, visitor: WebClient): Promise<void> => {
  const { slack, teams } = stage.platforms;
  await visitor.answerTo(visitor.say("schedule [in 1 s] look at the tide #soon"));
  await stage.until("the schedule's result on Slack", () =>
    slack.posted.some(({ text }) => text.includes("look at the tide #soon")),
  );
  await visitor.answerTo(visitor.say("schedule [in 1 s] look for news #nothing"));
  await visitor.answerTo(visitor.say("schedule [every 2 h] look at the moon #often"));
  await visitor.answerTo(visitor.say("schedule [every 3 h] look at the stars #cancelled"));
  const made = { agent: "mooring", description: "Console's #console", prompt: "look #console", when: "0 8 1 1 *" };
  const { ref } = await stage.admin("schedules", "POST", { ...made, deliverTo: { channel: "slack", room: "C0LOBBY" } });
  await stage.admin(`schedules/${ref}/run`, "POST");
  const { items } = await stage.admin("schedules");
  const unwanted = items.find(({ description }: { description: string }) => description.includes("#cancelled"));
  await stage.admin(`schedules/${unwanted.ref}/cancel`, "POST");
  await stage.until("the run's result", () => slack.posted.some(({ text }) => text.includes("look #console")));

  // In quiet hours proactive messages are held for the digest.
  await teams.say({ text: "/quiet 00:00-23:59 UTC", person: "eve" });
  await teams.say({ text: "schedule [in 1 s] look at the fog #quiet", person: "eve" });
  const sawQuiet = () => teams.api.posts.items.some(({ activity }) => activity.text?.includes("Noted (#quiet)"));
  await stage.until("eve's schedule", sawQuiet);
  await stage.until("eve's run", () => hasRun(stage, "#quiet"));
};

const refuseDeliveries = async (stage: Stage): Promise<void> => {
  const { teams } = stage.platforms;
  teams.faultIn = (method, body) => {
    if (method === "GET" || body.includes('"type":"typing"')) return undefined;
    if (body.includes("#unknown")) return "cut-after-accept";
    return /#blocked|shore #gone/.test(body) ? teamsFaults.blocked : undefined;
  };
  await teams.say({ text: "an answer that nobody can confirm #unknown", person: "finn" });
  await teams.say({ text: "an answer to a blocked chat #blocked", person: "gus" });
  const letters = async () => (await stage.admin("dead-letters")).items.length;
  await stage.until("the dead letter", async () => (await letters()) > 0);
  await teams.say({ text: "schedule [in 1 s] look at the shore #gone", person: "hal" });
  await stage.until("the refused result", async () => (await letters()) > 1 && hasRun(stage, "#gone"));
};

/** Whether a run of the schedule with this tag has ended. */
const hasRun = async (stage: Stage, tag: string): Promise<boolean> => {
  const { items } = await stage.admin("schedules");
  const found = items.find(({ description }: { description: string }) => description.includes(tag));
  if (found === undefined) return false;
  const runs = await stage.admin(`schedules/${encodeURIComponent(found.ref)}/runs`);
  return runs.items.some(({ state }: { state: string }) => state === "ended");
};

const operate = async (stage: Stage): Promise<void> => {
  await stage.admin("channels/shop/pause", "POST");
  await stage.admin("channels/slack/test", "POST", { room: "C0LOBBY", text: "a test message #test" });
};
