import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SdkAgent, TaskState, type Work } from "../fakes/a2a/sdk-agent.ts";
import { FakeDiscord } from "../fakes/discord/fake-discord.ts";
import type { FakeChannel, FakeGuild, FakeMessage, FakeUser } from "../fakes/discord/world.ts";
import { Recorder } from "../fakes/recorder.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import type { SlackMessage } from "../fakes/slack/slack-world.ts";
import type { Post } from "../fakes/teams/connector-api.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { FakeTelegram } from "../fakes/telegram/fake-telegram.ts";
import { FrozenModel, tagIn } from "./frozen-model.ts";

/**
 * Stored records name these addresses (where Teams and Discord are, callers' webhooks), so they are the same when the
 * data is written and when it is read. They are below the range of ephemeral ports.
 */
const PORTS = { discord: 21_712, teams: 21_713, weather: 21_714, hooks: 21_715 } as const;
const TAKEN_FOR_MS = 120_000;

export interface Hooked {
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** The state of the platforms when the data was written: ids, and the posted messages. */
export interface World {
  readonly discord: {
    readonly bot: FakeUser;
    readonly guilds: readonly (Omit<FakeGuild, "members"> & { readonly members: readonly string[] })[];
    readonly channels: readonly FakeChannel[];
    readonly people: readonly FakeUser[];
    readonly messages: readonly FakeMessage[];
  };
  readonly slack: { readonly messages: readonly SlackMessage[] };
  readonly teams: {
    readonly tenantId: string;
    readonly appId: string;
    readonly appPassword: string;
    readonly roster: readonly string[];
    readonly privateRooms: readonly (readonly [string, string])[];
    readonly posts: readonly Post[];
  };
}

/** The environment of the product: model, chat platforms, another agent, and a caller's webhook. */
export interface Platforms {
  readonly script: FrozenModel;
  readonly model: ScriptedModelServer;
  readonly slack: FakeSlack;
  readonly discord: FakeDiscord;
  readonly teams: FakeTeams;
  readonly telegram: FakeTelegram;
  readonly weather: SdkAgent;
  readonly hooked: Recorder<Hooked>;
  readonly hookUrl: string;
  /** The calls of the tool that needs an approval. */
  readonly changed: Recorder<string>;
  readonly changeUrl: string;
  stop(): Promise<void>;
}

export const startPlatforms = async (): Promise<Platforms> => {
  const script = new FrozenModel();
  const hooked = new Recorder<Hooked>();
  const changed = new Recorder<string>();
  const hooks = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.url === CHANGED) changed.add(text);
    else hooked.add({ headers: request.headers, body: JSON.parse(text || "null") });
    response.end();
  });
  await portsFree();
  const discord = await FakeDiscord.start(PORTS.discord);
  const teams = await FakeTeams.start(PORTS.teams);
  const weather = await SdkAgent.start(
    (work) => forecast(work, script),
    { capabilities: { pushNotifications: true } },
    PORTS.weather,
  );
  await new Promise<void>((resolve) => hooks.listen(PORTS.hooks, "127.0.0.1", resolve));
  const [model, slack, telegram] = await Promise.all([
    ScriptedModelServer.start(script.answer),
    FakeSlack.start(),
    FakeTelegram.start(),
  ]);
  const stop = async () => {
    script.release();
    hooks.closeAllConnections();
    await new Promise((resolve) => hooks.close(resolve));
    await Promise.all([model, slack, discord, teams, telegram, weather].map((each) => each.stop()));
  };
  const hookUrl = `http://127.0.0.1:${PORTS.hooks}/hook`;
  const changeUrl = `http://127.0.0.1:${PORTS.hooks}${CHANGED}`;
  return { script, model, slack, discord, teams, telegram, weather, hooked, hookUrl, changed, changeUrl, stop };
};

const CHANGED = "/changed";
/** A group on Telegram, before and after it became a supergroup. */
export const GROUP = -4_001;
export const MOVED_GROUP = -1_001_000_004_001;

const forecast = async (work: Work, script: FrozenModel): Promise<void> => {
  work.status(TaskState.TASK_STATE_WORKING, "looking at the sky");
  if (work.text.includes("fail")) return work.status(TaskState.TASK_STATE_FAILED, "no forecast");
  if (work.text.includes("late")) await script.lateAnswers.opened;
  if (work.text.includes("hold")) await script.released.opened;
  work.answer(`Weather says: calm (${tagIn(work.text)}).`);
};

/** Another run of the same test on this machine may hold the ports for a while. */
const portsFree = async (): Promise<void> => {
  for (const port of Object.values(PORTS)) {
    for (const deadline = performance.now() + TAKEN_FOR_MS; !(await isFree(port)); await delay(250)) {
      if (performance.now() > deadline) throw new Error(`port ${port} is taken; the frozen data names it`);
    }
  }
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createTcpServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });

export const worldOf = ({ discord, slack, teams }: Platforms): World => {
  const { bot, guilds, channels, people, messages } = discord.world;
  const { tenantId, appId, signIn, api } = teams;
  return {
    discord: {
      bot,
      guilds: [...guilds.values()].map((guild) => ({ ...guild, members: [...guild.members] })),
      channels: [...channels.values()],
      people: [...people.values()],
      messages,
    },
    slack: { messages: slack.world.messages },
    teams: {
      tenantId,
      appId,
      appPassword: signIn.appPassword,
      roster: [...api.roster],
      privateRooms: [...api.privateRooms],
      posts: api.posts.items,
    },
  };
};

export const restoreWorld = ({ discord, slack, teams, telegram }: Platforms, world: World): void => {
  // The ids of its chats follow from their order.
  for (const person of ["ann", "bob"]) telegram.world.privateChat(person);
  for (const group of [GROUP, MOVED_GROUP]) telegram.world.addGroup(group);
  const { bot, guilds, channels, people, messages } = world.discord;
  Object.assign(discord.world, { bot, applicationId: bot.id });
  for (const guild of guilds) discord.world.guilds.set(guild.id, { ...guild, members: new Set(guild.members) });
  for (const channel of channels) discord.world.channels.set(channel.id, channel);
  for (const person of people) discord.world.people.set(person.username, person);
  discord.world.messages.push(...messages);
  slack.world.messages.push(...world.slack.messages);
  const { tenantId, appId, appPassword, roster, privateRooms, posts } = world.teams;
  Object.assign(teams, { tenantId });
  Object.assign(teams.signIn, { appId, appPassword });
  for (const room of roster) teams.api.roster.add(room);
  for (const [member, room] of privateRooms) teams.api.privateRooms.set(member, room);
  teams.api.posts.items.push(...posts);
};
