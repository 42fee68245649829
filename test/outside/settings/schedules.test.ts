import { beforeAll, describe, expect } from "vitest";
import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { beginRun, FAR_ZONE, quietSettings, runSchedule, yearly } from "./scheduled-run.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
let slack: FakeSlack;
const DAY_MS = 24 * 3_600_000;
/** Half a day from now: not due during the tests, and past at the start a day later. */
const HOUR = (new Date().getUTCHours() + 12) % 24;
const DAILY = `0 ${HOUR} * * *`;
const THREAD = "1700000000.000100";

interface Listed {
  readonly ref: string;
  readonly description: string;
  readonly when: string;
  readonly nextDueAt: string;
  readonly status: string;
  readonly missed: string;
}

const config = (renamed = "renamed-before") => {
  const { botToken, apiUrl, signingSecret, world } = slack;
  const inSlack = { channel: "slack", room: "C0LOBBY", workspace: world.teamId };
  const { zoned: _, ...quiet } = quietSettings();
  return {
    agents: [
      {
        name: "mooring",
        model: models.named("mooring"),
        home: { person: "Ada" },
        schedules: [
          yearly("at-home"),
          yearly("in-thread", { ...inSlack, thread: THREAD }),
          yearly("for-bea", { person: "Bea" }),
          { ...yearly("in-utc"), when: DAILY, missed: "skip" },
          { ...yearly("far-away"), when: DAILY, timeZone: FAR_ZONE, missed: "once" },
          { ...yearly(renamed), description: "renamed" },
        ],
      },
      ...Object.entries(quiet).map(([name, { delivery }]) => ({
        name: `quiet-${name}`,
        model: models.named(`quiet-${name}`),
        delivery,
        schedules: [yearly(`quiet-${name}`, { channel: `slack-${name}`, room: "C0LOBBY" })],
      })),
    ],
    channels: {
      web: { adapter: "web", agent: "mooring", identityKey: IDENTITY_KEY },
      slack: { adapter: "slack", agent: "mooring", botToken, apiUrl, signingSecret },
      ...Object.fromEntries(
        Object.keys(quiet).map((name) => [
          `slack-${name}`,
          { adapter: "slack", agent: `quiet-${name}`, botToken, apiUrl, signingSecret },
        ]),
      ),
    },
    people: [
      { name: "Ada", accounts: { web: "ada" } },
      { name: "Bea", accounts: { web: "bea" } },
    ],
  };
};

beforeAll(async () => {
  slack = rig.owns(await FakeSlack.start());
  models = await rig.models();
  mooring = await rig.start(config());
});

const schedules = async () => (await mooring.admin<{ items: Listed[] }>("schedules?limit=200")).items;
const schedule = async (description: string) =>
  (await schedules()).find((one) => one.description === description && one.status === "active");
const came = async (person: string) => {
  const client = mooring.client(person, "web", visitorToken(person));
  await client.answerTo(client.say("hello"));
  return client;
};

describe("given schedules in the configuration", () => {
  proves(
    [
      "agents[].schedules[].description",
      "agents[].schedules[].prompt",
      "agents[].schedules[].deliverTo.person",
      "agents[].schedules[].deliverTo.channel",
      "agents[].schedules[].deliverTo.workspace",
      "agents[].schedules[].deliverTo.room",
      "agents[].schedules[].deliverTo.thread",
    ],
    "when they run, then each uses its prompt, and its answer goes to its target, else to the home",
    async () => {
      const [ada, bea] = [await came("ada"), await came("bea")];
      const [inThread] = await runSchedule(mooring, "in-thread");
      const thread = { channel: "slack", workspace: slack.world.teamId, room: "C0LOBBY", thread: THREAD };
      expect(inThread?.conversation).toEqual(thread);
      expect(slack.posted.at(-1)).toMatchObject({ room: "C0LOBBY", thread: THREAD });
      await beginRun(mooring, "at-home");
      await beginRun(mooring, "for-bea");
      for (const [client, name] of [
        [ada, "at-home"],
        [bea, "for-bea"],
      ] as const) {
        const results = () => client.replies().filter(({ anchor }) => anchor?.channel === "scheduled");
        await client.until(() => results().length > 0, `the answer of ${name}`);
        expect(results()).toMatchObject([
          { anchor: { summary: name }, markdown: expect.stringMatching(new RegExp(`\\nSay ${name}\\.$`)) },
        ]);
      }
    },
  );

  proves(
    ["agents[].schedules[].when", "agents[].schedules[].timeZone"],
    "when an operator lists them, then each is due at its time in its zone",
    async () => {
      const hourOf = async (name: string) => Number((await schedule(name))?.nextDueAt.slice(11, 13));
      expect(await hourOf("in-utc")).toBe(HOUR);
      expect(await hourOf("far-away")).toBe((HOUR + 24 - 6) % 24);
      expect((await schedule("at-home"))?.nextDueAt.slice(5)).toBe("01-01T00:00:00.000Z");
    },
  );

  proves(
    ["agents[].delivery.quietHours.from", "agents[].delivery.quietHours.to", "agents[].delivery.quietHours.timeZone"],
    "when they have results, then they are held for the one agent whose quiet hours apply",
    async () => {
      const states: Record<string, string | undefined> = {};
      for (const name of ["held", "later", "over", "elsewhere"]) {
        const [delivery] = await runSchedule(mooring, `quiet-${name}`);
        states[name] = delivery?.state;
      }
      expect(states).toEqual({ held: "withdrawn", later: "accepted", over: "accepted", elsewhere: "accepted" });
    },
  );

  proves(
    ["agents[].schedules[].name", "agents[].schedules[].missed"],
    "when it starts a day later, then missed runs happen once or are skipped, and another name is another schedule",
    async () => {
      const before = await schedule("renamed");
      await mooring.end();
      const asked = models.requests("mooring").length;
      mooring = await rig.start(config("renamed-after"), { folder: mooring.folder, aheadMs: DAY_MS });
      const runsOf = async (name: string) => {
        const ref = (await schedule(name))?.ref;
        return (await mooring.admin<{ items: { state: string }[] }>(`schedules/${ref}/runs`)).items;
      };
      await expect.poll(async () => (await runsOf("in-utc")).map(({ state }) => state)).toEqual(["skipped"]);
      await expect.poll(async () => (await runsOf("far-away")).map(({ state }) => state)).toEqual(["ended"]);
      const since = models
        .requests("mooring")
        .slice(asked)
        .map(({ lastUserText }) => lastUserText)
        .join();
      expect(since).toContain("Say far-away.");
      expect(since).not.toContain("Say in-utc.");
      const after = await schedule("renamed");
      expect(after?.ref).toBeDefined();
      expect(after?.ref).not.toBe(before?.ref);
    },
  );
});
