import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../config/parse-config.ts";
import { problemsOf } from "../problems-of.ts";

const agents = [{ name: "mooring", model: "demo" }];
const slack = { adapter: "slack", botToken: "xoxb-1-2-3-abcdefghij", signingSecret: "0123456789abcdef0123" };
const fileOf = (config: object) => ({ file: "mooring.yaml", text: JSON.stringify({ agents, ...config }), env: {} });

describe("given a configuration with an owner (I1)", () => {
  it("when it is read, then every channel admits the owner's account only, and the owner is a declared person", () => {
    const config = parseConfig(
      fileOf({
        owner: { name: "Ada", accounts: { slack: "U0ADA" } },
        channels: { web: { adapter: "web" }, cli: { adapter: "web" }, slack },
      }),
    );
    expect(config.people).toEqual([{ name: "Ada", accounts: { web: "v1-owner", cli: "v1-owner", slack: "U0ADA" } }]);
    const accounts = Object.fromEntries(
      Object.entries(config.channels).map(([name, { access }]) => [name, access?.accounts]),
    );
    expect(accounts).toEqual({ web: ["v1-owner"], cli: ["v1-owner"], slack: ["U0ADA"] });
    expect(config.channels.slack?.access).toMatchObject({ mentionOnly: true });
  });

  it("when a channel has no account of the owner, an unneeded one, or other accounts, then each is named", () => {
    const wrong = {
      owner: { accounts: { web: "ada", teams: "x" } },
      channels: { web: { adapter: "web", access: { accounts: "*" } }, slack },
    };
    expect(
      problemsOf(fileOf(wrong).text)
        .map(({ path, message }) => `${path} ${message}`)
        .sort(),
    ).toEqual([
      expect.stringMatching(/^channels\.web\.access\.accounts contradicts owner/),
      expect.stringMatching(/^owner\.accounts\.slack is missing/),
      expect.stringMatching(/^owner\.accounts\.teams .+not in this file/),
      expect.stringMatching(/^owner\.accounts\.web is not needed/),
    ]);
  });

  it("when a person has the owner's name or account, then that is a problem", () => {
    const twice = {
      owner: { name: "Ada", accounts: { slack: "U0ADA" } },
      people: [{ name: "Ada", accounts: { slack: "U0ADA" } }],
      channels: { slack },
    };
    expect(problemsOf(fileOf(twice).text)).toHaveLength(2);
  });
});
