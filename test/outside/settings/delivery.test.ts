import { beforeAll, describe, expect } from "vitest";
import { calls, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { WebClient } from "../../fakes/web-client.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { beginRun, FAR_ZONE, quietSettings, yearly } from "./scheduled-run.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;

const answer = ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
  if (toolNames.includes("complete_subtask")) return says("all about it");
  if (lastUserText.startsWith("[")) return says("Here is everything about it.");
  if (!lastUserText.includes("research")) return says(`You said: ${lastUserText}`);
  if (toolOutputs.length > 0) return says("I am on it.");
  return calls([{ name: "spawn_subtask", arguments: { name: "part", prompt: "look" } }]);
};

/** Two agents, each on a channel where its work begins, and on others where Ada has written too. */
const web = (agent: string, more: object = {}) => ({ adapter: "web", agent, identityKey: IDENTITY_KEY, ...more });
const channels = {
  spreads: web("spreads"),
  "spreads-plain": web("spreads"),
  "spreads-german": web("spreads", { locale: "de", timeZone: FAR_ZONE }),
  "spreads-not": web("spreads", { delivery: { policy: { private: "origin" } } }),
  keeps: web("keeps"),
  "keeps-plain": web("keeps"),
  "keeps-not": web("keeps", { delivery: { policy: "everywhere" } }),
};
type Channel = keyof typeof channels;
let ada: Record<Channel, WebClient>;
const HOUR_MS = 3_600_000;
/** Channels that differ in their quiet hours; each has its own person and schedule. */
const quietChannels = Object.entries(quietSettings()).map(([name, more]) => ({
  name: `quiet-${name}`,
  channel: web("spreads", more),
  person: { name: `Bea on ${name}`, accounts: { [`quiet-${name}`]: "bea" } },
  schedule: yearly(`quiet-${name}`, { person: `Bea on ${name}` }),
}));
const config = () => ({
  agents: [
    {
      name: "spreads",
      model: models.named("spreads", answer),
      schedules: quietChannels.map(({ schedule }) => schedule),
    },
    { name: "keeps", model: models.named("keeps", answer), delivery: { policy: { default: "origin" } } },
  ],
  channels: { ...channels, ...Object.fromEntries(quietChannels.map(({ name, channel }) => [name, channel])) },
  people: [
    { name: "Ada", accounts: Object.fromEntries(Object.keys(channels).map((name) => [name, "ada"])) },
    ...quietChannels.map(({ person }) => person),
  ],
});

beforeAll(async () => {
  models = await rig.models();
  const names = Object.keys(channels) as Channel[];
  mooring = await rig.start(config());
  const clients = names.map(async (name) => {
    const client = mooring.client(name, name, visitorToken("ada"));
    await client.answerTo(client.say("hello"));
    return [name, client] as const;
  });
  ada = Object.fromEntries(await Promise.all(clients)) as typeof ada;
});

interface Person {
  readonly name?: string;
  readonly accounts: readonly { readonly channel: string; readonly accountId: string }[];
}
const results = (channel: Channel) =>
  ada[channel].replies().filter(({ markdown }) => markdown === "Here is everything about it.");
/** Runs delegated work on one channel to its end. */
const work = async (channel: Channel, of: readonly Channel[]) => {
  const before = Object.fromEntries(of.map((name) => [name, results(name).length]));
  ada[channel].say("research it");
  await ada[channel].until(() => results(channel).length > (before[channel] ?? 0), `the result on ${channel}`);
  for (const name of of) await ada[name].answerTo(ada[name].say("hello again"));
  return of.filter((name) => results(name).length > (before[name] ?? 0));
};

describe("given a person who writes on several channels of an agent", () => {
  proves(
    ["agents[].delivery.policy", "channels.*(web).delivery.policy"],
    "when work ends, then its result follows the policy of the channel, else of the agent, else goes everywhere",
    async () => {
      const spread: Channel[] = ["spreads", "spreads-plain", "spreads-german", "spreads-not"];
      expect(await work("spreads", spread)).toEqual(spread);
      expect(await work("spreads-not", spread)).toEqual(["spreads-not"]);
      const kept: Channel[] = ["keeps", "keeps-plain", "keeps-not"];
      expect(await work("keeps", kept)).toEqual(["keeps"]);
      expect(await work("keeps-not", kept)).toEqual(kept);
    },
  );

  proves(
    ["people[].name", "people[].accounts"],
    "when an operator lists people, then the accounts that the configuration declares are one named person",
    async () => {
      const { items } = await mooring.admin<{ items: Person[] }>("people?limit=200");
      const channelsOf = (person: Person | undefined) => person?.accounts.map(({ channel }) => channel).sort();
      expect(channelsOf(items.find(({ name }) => name === "Ada"))).toEqual(Object.keys(channels).sort());
      expect(channelsOf(items.find(({ name }) => name === "Bea on held"))).toEqual(["quiet-held"]);
    },
  );

  proves(
    ["channels.*(web).timeZone", "channels.*(web).locale"],
    "when a result is shown to people of unknown time zone and language, then its time has the format of the channel",
    async () => {
      const anchor = (channel: Channel) =>
        results(channel).at(0)?.anchor as { text: string; startedAt: string } | undefined;
      const { text = "", startedAt = "" } = anchor("spreads-plain") ?? {};
      const there = anchor("spreads-german")?.text;
      const hour = (ahead: number) => String((Number(startedAt.slice(11, 13)) + ahead) % 24).padStart(2, "0");
      expect(text).toMatch(new RegExp(`started ${hour(0)}:.*just now`));
      expect(there).toMatch(new RegExp(`begonnen ${hour(6)}:.*jetzt`));
    },
  );

  proves(
    [
      "channels.*(web).delivery.quietHours.from",
      "channels.*(web).delivery.quietHours.to",
      "channels.*(web).delivery.quietHours.timeZone",
    ],
    "when schedules have results, then they are held where quiet hours apply, and shown when those end",
    async () => {
      const visit = (name: string) => mooring.client(name, name, visitorToken("bea"));
      const bea = new Map(quietChannels.map(({ name }) => [name, visit(name)] as const));
      const isShown = (client: WebClient) => client.replies().some(({ anchor }) => anchor?.channel === "scheduled");
      for (const [name, client] of bea) {
        await client.answerTo(client.say("hello"));
        await beginRun(mooring, name);
      }
      const held = bea.get("quiet-held") as WebClient;
      for (const [name, client] of bea) if (client !== held) await client.until(() => isShown(client), `it on ${name}`);
      await held.answerTo(held.say("hello again"));
      expect(isShown(held)).toBe(false);
      await mooring.end();
      mooring = await rig.start(config(), { folder: mooring.folder, aheadMs: 1.5 * HOUR_MS });
      const later = visit("quiet-held");
      later.command("help");
      await later.until(() => isShown(later), "it after the quiet hours");
    },
  );
});
