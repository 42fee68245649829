import { FAULTS } from "../fakes/telegram/fake-telegram.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { GROUP, MOVED_GROUP } from "./platforms.ts";
import type { Stage } from "./stage.ts";

/** Work of kinds that came after 0.1.0: memory, approvals, budgets, opinions, reports and actions of operators. */
export const laterWork = async (stage: Stage): Promise<void> => {
  const keeper = stage.visitor("keeper");
  await remember(keeper);
  await judge(keeper);
  await decide(stage, keeper);
  await holdForTheDigest(stage);
  await receiveFiles(stage);
  await talkToOwnAgent(stage);
  waitOnDiscord(stage);
  await talkOnTelegram(stage);
  await startConversations(stage, keeper);
  await intervene(stage);
};

const remember = async (keeper: WebClient): Promise<void> => {
  await keeper.answerTo(keeper.say("keep in mind that I sail the Seahorse #memory"));
};

const judge = async (keeper: WebClient): Promise<void> => {
  await keeper.answerTo(keeper.say("an answer to judge #judged"));
  const judged = keeper.replies().find(({ markdown }) => markdown?.includes("#judged"));
  await keeper.answerTo(keeper.command("feedback", `up ${judged?.id} just right`));
  await keeper.answerTo(keeper.command("report", "it is not polite"));
};

/** One call of the tool is approved, one for an hour, and one stays undecided. */
const decide = async (stage: Stage, keeper: WebClient): Promise<void> => {
  const requests = () => keeper.log.filter(({ markdown = "" }) => markdown.includes("May I run"));
  const ask = async (text: string) => {
    const before = requests().length;
    keeper.say(text);
    await stage.until(`the request of "${text}"`, () => requests().length > before);
    return requests().at(-1)?.actions?.[0]?.value ?? "";
  };
  const approve = async (argument: string) => keeper.answerTo(keeper.command("approve", argument));
  await approve(await ask("change the berth #approved"));
  const { changed } = stage.platforms;
  await stage.until("the approved call", () => changed.items.length === 1);
  await approve(`hour ${await ask("change the buoy #hour")}`);
  await stage.until("the call of the hour", () => changed.items.length === 2);
  const patient = stage.visitor("patient");
  patient.say("change the light #open-approval");
  await stage.until("the open request", () => patient.log.some(({ markdown = "" }) => markdown.includes("May I run")));
};

/** In quiet hours a run that the person did not time is held for the digest. */
const holdForTheDigest = async (stage: Stage): Promise<void> => {
  const { teams } = stage.platforms;
  await teams.say({ text: "schedule [every 5 h] look at the fog #held", person: "eve" });
  const isNoted = () => teams.api.posts.items.some(({ activity }) => activity.text?.includes("Noted (#held)"));
  await stage.until("eve's repeating schedule", isNoted);
  const { items } = await stage.admin("schedules");
  const found = items.find(({ description }: { description: string }) => description.includes("#held"));
  await stage.admin(`schedules/${encodeURIComponent(found.ref)}/run`, "POST");
};

/** The tool returns a picture and a file: one to download, and one that Teams asks for consent. */
const receiveFiles = async (stage: Stage): Promise<void> => {
  const painter = stage.visitor("painter");
  await painter.answerTo(painter.say("draw the harbour #drawn"));
  const { teams } = stage.platforms;
  await teams.say({ text: "draw the pier #drawn-teams", person: "lea" });
  const cards = () => JSON.stringify(teams.api.posts.items).includes("ships.csv");
  await stage.until("the file in Teams", cards);
};

const talkToOwnAgent = async (stage: Stage): Promise<void> => {
  const sailor = stage.visitor("sailor", undefined, "pilots");
  await sailor.answerTo(sailor.say("hello pilot #pilot"));
  sailor.say("hold the pilot #open-pilot");
  const { weather } = stage.platforms;
  await stage.until("the pilot's task", () => JSON.stringify(weather.received).includes("#open-pilot"));
};

/** A message whose answer takes long is marked. */
const waitOnDiscord = (stage: Stage): void => {
  const { discord } = stage.platforms;
  const own = discord.world.privateChannel(discord.world.person("dan"));
  discord.say({ person: "dan", in: own, text: "hold the gull #open-mark" });
};

/** A button, an album, a group that moves, and a person who has blocked the bot. */
const talkOnTelegram = async (stage: Stage): Promise<void> => {
  const { telegram } = stage.platforms;
  const { world } = telegram;
  const said = (tag: string) => telegram.posted.some(({ text }) => text.includes(tag));
  const ann = world.privateChat("ann");
  await telegram.say({ in: ann, person: "ann", text: "hello from Telegram #telegram" });
  await stage.until("Telegram's answer", () => said("#telegram"));
  await telegram.say({ in: ann, person: "ann", text: "change the lock #open-telegram" });
  await stage.until("Telegram's request", () => said("May I run"));
  const file = (name: string) => ({ name, mediaType: "text/plain", bytes: Buffer.from(`the text of ${name}`) });
  await telegram.say({ in: ann, person: "ann", text: "an album #album", files: [file("a.txt"), file("b.txt")] });
  await stage.until("the album's answer", () => said("#album"));
  const group = world.addGroup(GROUP, "group");
  await telegram.say({ in: group, person: "ann", text: "hello group #group", mention: true });
  await stage.until("the group's answer", () => said("#group"));
  await telegram.send([telegram.move(group, MOVED_GROUP)]);
  telegram.faultIn = ({ body }) => (JSON.stringify(body).includes("#unreachable") ? FAULTS.blocked() : undefined);
  await telegram.say({ in: world.privateChat("bob"), person: "bob", text: "an answer for nobody #unreachable" });
  const isRefused = async () => JSON.stringify((await stage.admin("dead-letters")).items).includes("telegram");
  await stage.until("the refused answer", isRefused);
};

const startConversations = async (stage: Stage, keeper: WebClient): Promise<void> => {
  const ask = (body: object) =>
    fetch(`${stage.address}/channels/web/conversations`, {
      method: "POST",
      headers: { authorization: `Bearer ${keeper.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const started = await ask({ action: "start" });
  // Up to 0.2.0 a visitor has one conversation.
  if (started.status === 404) return;
  const { id } = (await started.json()) as { id: string };
  await ask({ action: "rename", id, title: "The trip to Bergen" });
};

const intervene = async (stage: Stage): Promise<void> => {
  const guest = stage.visitor("guest");
  await guest.answerTo(guest.say("hello from a guest #guest"));
  const at = `sessions/${guest.sessionId}`;
  const why = { agent: "mooring", reason: "they asked for a person", minutes: 60 };
  await stage.admin(`${at}/break-glass`, "POST", why);
  await stage.admin(`${at}/takeover`, "POST", { ...why, name: "Olga" });
  await stage.admin("blocks", "POST", { channel: "slack", accountId: "U0MAL", reason: "spam" });
};
