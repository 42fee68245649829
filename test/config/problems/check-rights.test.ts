import { describe, expect, it } from "vitest";
import { problemsOf } from "../problems-of.ts";

const base = [
  "people: [{ name: Ada, accounts: { web: ada } }]",
  "channels: { web: { adapter: web } }",
  "a2a: { callers: { crm: { token: aG8rX2vT-51kQz7Lm9cYdN4s } } }",
];
const problems = (groups: string, rights: string) =>
  problemsOf(
    [...base, `groups: ${groups}`, `agents: [{ name: mooring, model: demo, rights: ${rights} }]`].join("\n"),
  ).map(({ message }) => message);

describe("given rights and groups that name others (R1, U1)", () => {
  it("when all names exist, then there is no problem", () => {
    const groups = '{ operator: [Ada], pilots: ["web:v1"] }';
    const rights = '{ member: [default, "tool:git__*"], "group:pilots": [approve], "peer:crm": [], "web:v1": [peers] }';
    expect(problems(groups, rights)).toEqual([]);
  });

  it.each([
    [
      "a group",
      "{ pilots: [] }",
      '{ "group:pilotz": [approve] }',
      'names a group that is not in this file; did you mean "pilots"?',
    ],
    ["a channel", "{}", '{ "wed:ada": [approve] }', 'names a channel that is not in this file; did you mean "web"?'],
    ["a caller", "{}", '{ "peer:crn": [] }', 'names a caller that is not in this file; did you mean "crm"?'],
    ["a person", "{ pilots: [Adaa] }", "{}", 'names a person that is not in this file; did you mean "Ada"?'],
    [
      "the channel of an account",
      '{ pilots: ["webb:v1"] }',
      "{}",
      'names a channel that is not in this file; did you mean "web"?',
    ],
    ["a right", "{}", "{ member: [shedule] }", "must be one of default, delegate, remind, schedule"],
    ["a class", "{}", "{ members: [schedule] }", "must be one of anonymous, member, operator, peer"],
  ])("when %s is misspelled, then the problem says what is possible", (_, groups, rights, message) => {
    expect(problems(groups, rights)).toEqual([expect.stringContaining(message)]);
  });
});
