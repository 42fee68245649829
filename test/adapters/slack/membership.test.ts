import { describe, expect, it } from "vitest";
import type { SlackIdentity } from "../../../adapters/slack/api/web-api.ts";
import { authorTeamOf, profileTeamOf, refusalOf } from "../../../adapters/slack/author.ts";
import type { SlackAccess } from "../../../adapters/slack/config.ts";

const identity: SlackIdentity = {
  teamId: "T_OURS",
  enterpriseId: "E_OURS",
  botUserId: "U",
  botId: "B",
  teamUrl: "https://ours.slack.com/",
  scopes: undefined,
};

describe("given a message in Slack, when its author's workspace is looked for (I2)", () => {
  const team = (event: Parameters<typeof authorTeamOf>[0], isShared?: boolean) =>
    authorTeamOf(event, isShared === undefined ? {} : { is_ext_shared_channel: isShared }, identity);

  it("then any sign of another workspace makes the author a stranger", () => {
    expect(team({ user_team: "T_OTHER" })).toEqual({ team: "T_OTHER" });
    expect(team({ source_team: "T_OTHER", team: "T_OURS" })).toEqual({ team: "T_OTHER" });
    expect(team({ user_team: "T_OURS", team: "T_OTHER" }, false)).toEqual({ team: "T_OTHER" });
  });

  it("then the author is ours if the event says so, by workspace or by enterprise", () => {
    expect(team({ user_team: "T_OURS" }, true)).toBe("ours");
    expect(team({ user_team: "E_OURS" }, true)).toBe("ours");
    expect(team({ team: "T_OURS" })).toBe("ours");
  });

  it("when the channel is shared, then the plain team is not trusted, and Slack has to be asked", () => {
    expect(team({ team: "T_OURS" }, true)).toBe("unknown");
    expect(team({ source_team: "T_OURS" }, true)).toBe("unknown");
    expect(team({})).toBe("unknown");
  });

  it("when Slack says that no other workspace is in the channel, then everybody in it is ours", () => {
    expect(team({}, false)).toBe("ours");
  });
});

describe("given what Slack says about a person (I2)", () => {
  it("then they are ours if one of their workspaces is, unless they only share channels with us", () => {
    expect(profileTeamOf({ teamIds: ["T_OTHER", "T_OURS"] }, identity)).toBe("ours");
    expect(profileTeamOf({ teamIds: ["E_OURS"], isStranger: false }, identity)).toBe("ours");
    expect(profileTeamOf({ teamIds: ["T_OTHER", "T_OURS"], isStranger: true }, identity)).toEqual({ team: "T_OTHER" });
    expect(profileTeamOf({ teamIds: ["T_OTHER", "T_THIRD"] }, identity)).toEqual({ team: "T_OTHER" });
  });

  it("when it names no workspace, then theirs is not known", () => {
    expect(profileTeamOf({}, identity)).toBe("unknown");
    expect(profileTeamOf({ teamIds: [] }, identity)).toBe("unknown");
  });
});

describe("given who may talk to the agent (I2)", () => {
  const refusal = (author: Parameters<typeof refusalOf>[0], teams?: "*" | string[]) =>
    refusalOf(author, teams && ({ teams } as SlackAccess));

  it("then members of its own workspace may, and of others only if those are named", () => {
    expect(refusal("ours")).toBeUndefined();
    expect(refusal({ team: "T_OTHER" }, ["T_OTHER"])).toBeUndefined();
    expect(refusal({ team: "T_OTHER" }, "*")).toBeUndefined();
    expect(refusal({ team: "T_OTHER" }, ["T_THIRD"])).toContain("ask my operator for access");
    expect(refusal({ team: "T_OTHER" })).toContain("ask my operator for access");
  });

  it("when the workspace is not known, then they are asked to try again, even if some are named", () => {
    expect(refusal("unknown")).toContain("try again in a minute");
    expect(refusal("unknown", ["T_OTHER"])).toContain("try again in a minute");
    expect(refusal("unknown", "*")).toBeUndefined();
  });
});
