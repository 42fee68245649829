import { describe, expect, it } from "vitest";
import { authorTeamOf, profileTeamOf, refusalOf } from "../../../adapters/slack/author.ts";
import type { SlackAccess } from "../../../adapters/slack/config.ts";
import type { SlackIdentity } from "../../../adapters/slack/web-api.ts";

const identity: SlackIdentity = {
  teamId: "T_OURS",
  enterpriseId: "E_OURS",
  botUserId: "U",
  botId: "B",
  teamUrl: "https://ours.slack.com/",
  scopes: undefined,
};

describe("given the author's workspace in a Slack event (I2)", () => {
  const team = (event: Parameters<typeof authorTeamOf>[0], isShared?: boolean) =>
    authorTeamOf(event, isShared === undefined ? {} : { is_ext_shared_channel: isShared }, identity);

  it("when any field names another workspace, then the author belongs to that one", () => {
    expect(team({ user_team: "T_OTHER" })).toEqual({ team: "T_OTHER" });
    expect(team({ source_team: "T_OTHER", team: "T_OURS" })).toEqual({ team: "T_OTHER" });
    expect(team({ user_team: "T_OURS", team: "T_OTHER" }, false)).toEqual({ team: "T_OTHER" });
  });

  it("when the event names our workspace or enterprise, then the author is ours", () => {
    expect(team({ user_team: "T_OURS" }, true)).toBe("ours");
    expect(team({ user_team: "E_OURS" }, true)).toBe("ours");
    expect(team({ team: "T_OURS" })).toBe("ours");
  });

  it("when the channel is shared, then the field team is not trusted, and the workspace is unknown", () => {
    expect(team({ team: "T_OURS" }, true)).toBe("unknown");
    expect(team({ source_team: "T_OURS" }, true)).toBe("unknown");
    expect(team({})).toBe("unknown");
  });

  it("when the channel is not shared, then the author is ours", () => {
    expect(team({}, false)).toBe("ours");
  });
});

describe("given the profile of a person (I2)", () => {
  it("when one of their workspaces is ours, then they are ours, unless they only share channels with us", () => {
    expect(profileTeamOf({ teamIds: ["T_OTHER", "T_OURS"] }, identity)).toBe("ours");
    expect(profileTeamOf({ teamIds: ["E_OURS"], isStranger: false }, identity)).toBe("ours");
    expect(profileTeamOf({ teamIds: ["T_OTHER", "T_OURS"], isStranger: true }, identity)).toEqual({ team: "T_OTHER" });
    expect(profileTeamOf({ teamIds: ["T_OTHER", "T_THIRD"] }, identity)).toEqual({ team: "T_OTHER" });
  });

  it("when it names no workspace, then their workspace is unknown", () => {
    expect(profileTeamOf({}, identity)).toBe("unknown");
    expect(profileTeamOf({ teamIds: [] }, identity)).toBe("unknown");
  });
});

describe("given the access rules of a Slack channel (I2)", () => {
  const refusal = (author: Parameters<typeof refusalOf>[0], teams?: "*" | string[]) =>
    refusalOf(author, teams && ({ teams } as SlackAccess))?.message;

  it("then members of our workspace are allowed, and others only if their workspace is configured", () => {
    expect(refusal("ours")).toBeUndefined();
    expect(refusal({ team: "T_OTHER" }, ["T_OTHER"])).toBeUndefined();
    expect(refusal({ team: "T_OTHER" }, "*")).toBeUndefined();
    expect(refusal({ team: "T_OTHER" }, ["T_THIRD"])).toContain("ask my operator for access");
    expect(refusal({ team: "T_OTHER" })).toContain("ask my operator for access");
  });

  it("when the workspace is unknown, then the refusal asks to try again, unless all are allowed", () => {
    expect(refusal("unknown")).toContain("try again in a minute");
    expect(refusal("unknown", ["T_OTHER"])).toContain("try again in a minute");
    expect(refusal("unknown", "*")).toBeUndefined();
  });
});
