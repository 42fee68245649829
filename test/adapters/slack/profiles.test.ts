import { webApi } from "@slack/bolt";
import { beforeEach, describe, expect, it } from "vitest";
import { type Profile, Profiles } from "../../../adapters/slack/author.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const ANN = { name: "ann", profile: { display_name: "Annie", real_name: "Ann Example" } };

let clock: ManualClock;
let requests: unknown[];
let answer: () => Promise<unknown>;
let profiles: Profiles;

beforeEach(() => {
  clock = new ManualClock();
  requests = [];
  answer = async () => ({ user: ANN });
  const info = (request: unknown) => {
    requests.push(request);
    return answer();
  };
  profiles = new Profiles({ users: { info } } as unknown as webApi.WebClient, clock, 2_000);
});

const found = (user: object | undefined): Promise<Profile> => {
  answer = async () => ({ user });
  return profiles.of(`U${requests.length}`);
};
const fails = (error: Error) => {
  answer = () => Promise.reject(error);
};
const slackError = (error: string) => new webApi.WebAPIPlatformError({ ok: false, error });
/** The number of requests that looking up these people has made. */
const requestsFor = async (...users: string[]): Promise<number> => {
  const before = requests.length;
  for (const user of users) await profiles.of(user);
  return requests.length - before;
};

describe("given a person on Slack, when the profile is requested", () => {
  it("then it has name, time zone, language and workspaces, the home workspace first", async () => {
    const user = { ...ANN, tz: "Europe/Berlin", locale: "de-DE", team_id: "T1", enterprise_user: { teams: ["T2"] } };
    expect(await found(user)).toStrictEqual({
      name: "Annie",
      timeZone: "Europe/Berlin",
      locale: "de-DE",
      teamIds: ["T1", "T2"],
    });
    expect(requests).toEqual([{ user: "U0", include_locale: true }]);
    expect(await found({ team_id: "T1", is_stranger: true })).toStrictEqual({ teamIds: ["T1"], isStranger: true });
  });

  it("then the name is the one shown in Slack, else the full name, else the handle", async () => {
    expect(await found({ ...ANN, profile: { real_name: "Ann Example" } })).toStrictEqual({ name: "Ann Example" });
    expect(await found({ ...ANN, profile: { display_name: "" } })).toStrictEqual({ name: "ann" });
    expect(await found({ name: "ann" })).toStrictEqual({ name: "ann" });
    expect(await found({})).toStrictEqual({});
    expect(await found(undefined)).toStrictEqual({});
    expect(await requestsFor("UBOB")).toBe(1);
  });

  it("then it is cached for an hour, per person", async () => {
    expect(await requestsFor("UANN", "UANN", "UBOB")).toBe(2);
    clock.advance(HOUR_MS - 1);
    expect(await requestsFor("UANN")).toBe(0);
    clock.advance(1);
    expect(await requestsFor("UANN")).toBe(1);
    expect(clock.pending).toBe(0);
  });
});

describe("given a person whose profile is not available", () => {
  it("when Slack does not know the person, then it is requested again after a minute, and others at once", async () => {
    fails(slackError("user_not_found"));
    expect(await profiles.of("UANN")).toEqual({});
    clock.advance(MINUTE_MS - 1);
    expect(await requestsFor("UANN", "UBOB")).toBe(1);
    clock.advance(1);
    answer = async () => ({ user: ANN });
    expect(await profiles.of("UANN")).toEqual({ name: "Annie" });
  });

  it("when Slack does not respond in time, then the message goes on without it", async () => {
    answer = () => new Promise(() => undefined);
    const profile = profiles.of("UANN");
    clock.advance(2_000);
    expect(await profile).toEqual({});
    clock.advance(MINUTE_MS - 1);
    expect(await requestsFor("UANN")).toBe(0);
  });

  it.each([
    ["Slack limits the rate", new webApi.WebAPIRateLimitedError(30), 30_000],
    ["the app lacks the scope", slackError("missing_scope"), HOUR_MS],
    ["Slack cannot be reached", new Error("connect ECONNREFUSED"), 10_000],
  ])("when %s, then no profiles are requested for a while (F9)", async (_, error, pauseMs) => {
    fails(error);
    expect(await profiles.of("UANN")).toEqual({});
    clock.advance(pauseMs - 1);
    answer = async () => ({ user: ANN });
    expect(await profiles.of("UBOB")).toEqual({});
    expect(requests).toHaveLength(1);
    clock.advance(1);
    expect(await profiles.of("UBOB")).toEqual({ name: "Annie" });
  });
});
