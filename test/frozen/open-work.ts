import { setTimeout as delay } from "node:timers/promises";
import { teamsFaults } from "../fakes/teams/fault.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { callAgent } from "./call-agent.ts";
import type { Stage } from "./stage.ts";

const CRASHES_AT_MOST = 10;
/** Longer than the time after which a draft of an answer is shown. */
const BEGUN_MS = 2_000;

/** A message that crashes its process every time, until it is a dead letter. */
export const poison = async (stage: Stage): Promise<void> => {
  let crashes = 0;
  let asked = 0;
  stage.platforms.script.onPoison = () => {
    asked++;
  };
  const victim = stage.visitor("victim");
  victim.say("poison #poison");
  const isDead = async () => (await stage.admin("dead-letters?kind=message")).items.length > 0;
  while (crashes < CRASHES_AT_MOST) {
    await stage.until("the crash, or the dead letter", async () => asked > crashes || (await isDead()));
    if (asked === crashes) return;
    crashes = asked;
    await stage.end();
    await stage.start();
  }
  throw new Error("the poisoned message never became a dead letter");
};

/** Work of every kind in its second attempt: the process was killed in the first one. */
export const leaveWorkOpen = async (stage: Stage, visitor: WebClient, waiter: WebClient): Promise<void> => {
  const { slack, teams, hookUrl, model, weather } = stage.platforms;
  const asked = (tag: string) => model.requests.filter(({ lastUserText }) => lastUserText.includes(tag)).length;

  await waiter.answerTo(waiter.say("remember the boat #boat"));
  await waiter.answerTo(waiter.command("link"));
  const jobs = ["quick #open-a", "hold two #open-b", "hold three #open-c", "hold four #open-d", "hold five #open-e"];
  await waiter.answerTo(waiter.say(`delegate #open-batch ${jobs.map((job) => `{${job}}`).join(" ")}`));
  await waiter.answerTo(waiter.say("leave to harbour on hold #open-local"));
  await waiter.answerTo(waiter.say("leave to weather on hold #open-remote"));
  const builder = stage.visitor("builder-2", undefined, "yard");
  await callAgent(stage.address, "SendMessage", {
    message: { messageId: "called-3", contextId: "ctx-3", text: "hold it #open-called", skill: "facts" },
    hookUrl,
    atOnce: true,
  });

  slack.faultIn = (method, args) =>
    method === "chat.postMessage" && JSON.stringify(args).includes("#open-hang") ? "hang" : undefined;
  teams.faultIn = (method, body) =>
    method !== "GET" && body.includes("#open-retry") ? teamsFaults.unavailable : undefined;
  await slack.say({ text: "an answer whose post hangs #open-hang" });
  await slack.say({ user: "U0BOB", text: "hold the stream #open-stream" });
  await teams.say({ person: "ida", text: "hold this chat #open-edit" });
  await teams.say({ person: "ida", text: "the first words #open-edited", id: "4711" });
  await teams.say({
    person: "ida",
    text: "the better words #open-edited",
    id: "4711",
    more: { type: "messageUpdate" },
  });
  await teams.say({ person: "jon", text: "an answer while Teams is away #open-retry" });
  visitor.say("hold the tide #open-turn");
  visitor.say("queued behind it #open-queued");
  const isUnderWay = () =>
    ["#open-turn", "#open-b", "#open-c", "#open-local", "#open-stream", "#open-edit", "#open-called"].every(asked) &&
    weather.received.some((message) => JSON.stringify(message).includes("#open-remote")) &&
    visitor.sent.every((id) => visitor.accepted.includes(id));
  await stage.until("the open work", isUnderWay);
  await builder.answerTo(builder.say("delegate {run it #open-run}"));
  await delay(BEGUN_MS);
  await stage.end();

  const before = asked("#open-turn");
  await stage.start();
  await stage.until("the second run", () => asked("#open-turn") > before);
  const { teams: again } = stage.platforms;
  await again.say({ person: "kim", text: "schedule [in 20 s] look at the dawn #open-due" });
  const isScheduled = () => again.api.posts.items.some(({ activity }) => activity.text?.includes("Noted (#open-due)"));
  await stage.until("the last schedule", isScheduled);
  await delay(BEGUN_MS);
};
