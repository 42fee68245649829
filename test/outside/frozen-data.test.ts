import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { callAgent } from "../frozen/call-agent.ts";
import { contentsOfStreams } from "../frozen/contents.ts";
import { type Facts, frozenVersions, loadInto, readFacts, readSummary } from "../frozen/fixture.ts";
import { everythingListed, itemsIn } from "../frozen/listed.ts";
import { migrateInto } from "../frozen/migrate-into.ts";
import { shiftDate } from "../frozen/shifted-date.mjs";
import { type Backbone, Stage } from "../frozen/stage.ts";

/** The last schedule of the frozen data was due while nothing ran. */
const AFTER_FREEZING_MS = 30_000;
const YEARS_MS = 3 * 366 * 24 * 3_600_000;
const PRELOAD = new URL("../frozen/shifted-date.mjs", import.meta.url);

/** The visitor's linked Slack account was German when these were frozen, and English in later ones. */
const FROZEN_IN_GERMAN = new Set(["0.1.0", "unreleased"]);
const whyIn = {
  de: /Was gefragt wurde.*#[\w-]+[\s\S]*Warum jetzt[\s\S]*Slack/,
  en: /What was asked.*#[\w-]+[\s\S]*Why now[\s\S]*Slack/,
} as const;

const cases = frozenVersions().flatMap((version) =>
  (["embedded", "nats"] as const).map((backbone) => [version, backbone] as const),
);

beforeAll(requireFreshBuild);

let stage: Stage;
let unshift = () => {};
afterEach(async () => {
  unshift();
  await stage.dispose();
});

const loadFrozen = async (version: string): Promise<void> => {
  await loadInto(stage, version);
  if (stage.nats) expect(await contentsOfStreams(stage.nats.url)).toEqual((await readSummary(version)).nats);
};

/** The current build on a copy of the data, with the clock of its creation, so that no record has expired. */
const open = async (
  version: string,
  backbone: Backbone,
  facts: Facts,
  laterMs: number,
  load: (version: string, nodeArgs: readonly string[]) => Promise<void> = loadFrozen,
): Promise<void> => {
  const offsetMs = facts.frozenAt + laterMs - Date.now();
  const nodeArgs = ["--import", `${PRELOAD}?offsetMs=${offsetMs}`];
  stage = await Stage.create(backbone, { world: facts.world, nodeArgs });
  await load(version, nodeArgs);
  unshift = shiftDate(offsetMs);
  await stage.start();
};

/** The log has no unreadable record and no failure. */
const expectCleanLog = (): void => {
  const lines = stage.log.split("\n").filter((line) => line.startsWith("{"));
  const all = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
  // One person of the frozen data has blocked the bot, which is stored.
  const errors = all.filter(({ durable, reason }) => durable !== "outbox-telegram" || !/has blocked/.test(reason));
  expect(errors).toEqual([]);
  expect(stage.log).not.toMatch(/cannot be read|does not parse|unusable|corrupt/i);
};

describe.each(cases)("given the data of %s on the %s backbone, with work in progress", (version, backbone) => {
  let facts: Facts;
  beforeEach(async () => {
    facts = await readFacts(version, backbone);
  });

  it("when this build starts on it, then all records are there and all open work ends once (U5, F31, F41)", async () => {
    await open(version, backbone, facts, AFTER_FREEZING_MS);
    await expectNothingLost(version, facts);
  });

  it("when it starts years later, then expired records are removed without an error (U5, F41)", async () => {
    await open(version, backbone, facts, YEARS_MS);
    const listed = await everythingListed(stage);
    expect(listed.people).toEqual(expect.arrayContaining([...(facts.listed.people ?? [])]));
    const visitor = stage.visitor("visitor-later");
    await visitor.answerTo(visitor.say("hello #years-later"));
    expectCleanLog();
  });
});

describe.each(cases)("given the data of %s, moved to the %s backbone from the other one", (version, backbone) => {
  it("when this build starts on it, then all records are there and all open work ends once (U5)", async () => {
    const facts = await readFacts(version, backbone === "nats" ? "embedded" : "nats");
    await open(version, backbone, facts, AFTER_FREEZING_MS, (name, nodeArgs) => migrateInto(stage, name, nodeArgs));
    await expectNothingLost(version, facts);
  });
});

const expectNothingLost = async (version: string, facts: Facts): Promise<void> => {
  await expectEverythingListed(facts);
  const visitor = stage.visitor("visitor-later", facts.visitor.token);
  const waiter = stage.visitor("waiter-later", facts.waiter.token);
  await expectWholeConversation(visitor, facts);
  await expectAnswersOfCommands(visitor, waiter, FROZEN_IN_GERMAN.has(version) ? "de" : "en");

  stage.platforms.script.release();
  await expectOpenWorkEndsOnce(visitor, waiter);
  await expectSessionGoesOn(visitor);
  await expectLinkHolds();
  await expectLetterCanBeSentAgain();
  const tasks = await callAgent(stage.address, "ListTasks");
  expect(tasks.tasks.map(({ status }: { status: { state: string } }) => status.state).sort()).toEqual([
    "TASK_STATE_CANCELED",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_COMPLETED",
  ]);
  expectCleanLog();
  await stage.end("SIGTERM");
};

/** Runs before any of the open work can end. */
const expectEverythingListed = async (facts: Facts): Promise<void> => {
  const listed = await everythingListed(stage);
  for (const [path, ids] of Object.entries(facts.listed)) {
    expect(listed[path], path).toEqual(expect.arrayContaining([...ids]));
  }
};

/** The visitor's browser has its token. */
const expectWholeConversation = async (visitor: WebClient, { visitor: { log, sessionId } }: Facts): Promise<void> => {
  await visitor.until(() => (visitor.log.at(-1)?.seq ?? 0) >= (log.at(-1)?.seq ?? 0), "the frozen conversation");
  expect(visitor.log.slice(0, log.length)).toEqual(log);
  expect(visitor.sessionId).toBe(sessionId);
};

const expectAnswersOfCommands = async (
  visitor: WebClient,
  waiter: WebClient,
  language: keyof typeof whyIn,
): Promise<void> => {
  const { teams } = stage.platforms;
  const said = async (client: WebClient, command: string) =>
    (await client.answerTo(client.command(command))).markdown ?? "";
  expect(await said(visitor, "schedules")).toContain("#often");
  expect(await said(visitor, "status")).toContain("#open-turn");
  expect(await said(visitor, "why")).toMatch(whyIn[language]);
  expect(await said(waiter, "status")).toContain("#open-b");
  await teams.say({ person: "hal", text: "/inbox" });
  await stage.until("the inbox", () => inTeams("shore #gone").length > 0);
};

const inSlack = (text: string) => stage.platforms.slack.posted.filter((post) => post.text.includes(text));
const inTeams = (text: string) =>
  stage.platforms.teams.api.posts.items.filter(({ activity }) => activity.text?.includes(text));
const inChat = (client: WebClient, text: string) => client.replies().filter(({ markdown }) => markdown?.includes(text));

const expectOpenWorkEndsOnce = async (visitor: WebClient, waiter: WebClient): Promise<void> => {
  const found: Readonly<Record<string, () => readonly unknown[]>> = {
    "the open turn": () => inChat(visitor, "done at last (#open-turn)"),
    "the message behind it": () => inChat(visitor, "You said: queued behind it #open-queued"),
    "the batch's synthesis": () => inChat(waiter, "Result of #open-batch"),
    "the local agent's answer": () => inChat(waiter, "Result of #open-local"),
    "the remote agent's answer": () => inChat(waiter, "Result of #open-remote"),
    "the post that hung": () => inSlack("#open-hang"),
    "the answer that had begun": () => inSlack("done at last (#open-stream)"),
    "the edited message": () => inTeams("the better words #open-edited"),
    "the retried post": () => inTeams("#open-retry"),
    "the schedule that was due": () => inTeams("dawn #open-due"),
  };
  const counts = () => Object.fromEntries(Object.entries(found).map(([name, all]) => [name, all().length]));
  const expected = Object.fromEntries(Object.keys(found).map((name) => [name, 1]));
  await expect.poll(counts, { timeout: 60_000 }).toEqual(expected);
  const { hooked } = stage.platforms;
  await stage.until("the caller's webhook", () => JSON.stringify(hooked.items).includes("TASK_STATE_COMPLETED"));
  expect(inTeams("the first words #open-edited")).toEqual([]);
  expect(counts()).toEqual(expected);
};

const expectSessionGoesOn = async (visitor: WebClient): Promise<void> => {
  await visitor.answerTo(visitor.say("and now? #after"));
  const asked = stage.platforms.model.requests.findLast(({ lastUserText }) => lastUserText.includes("#after"));
  expect(JSON.stringify(asked?.body.messages)).toContain("#open-queued");
};

/** The visitor's schedule also reports to the linked Slack account. */
const expectLinkHolds = async (): Promise<void> => {
  const schedules = await itemsIn(stage, "schedules");
  const often = schedules.find(({ description }) => String(description).includes("#often"));
  await stage.admin(`schedules/${encodeURIComponent(String(often?.ref))}/run`, "POST");
  await stage.until("the linked account's copy", () => inSlack("look at the moon #often").length === 1);
};

const expectLetterCanBeSentAgain = async (): Promise<void> => {
  const letters = await itemsIn(stage, "dead-letters?kind=delivery");
  const blocked = letters.find(({ conversation }) => JSON.stringify(conversation).includes("chat-with-gus"));
  await stage.admin(`dead-letters/${encodeURIComponent(String(blocked?.ref))}/retry`, "POST");
  await stage.until(
    "the dead letter's text",
    () => inTeams("You said: an answer to a blocked chat #blocked").length === 1,
  );
};
