import { describe, expect, it } from "vitest";
import { explainFailure } from "../../../adapters/teams/api/failure.ts";
import { describeFailure } from "../../../gateway/console/pages/views/outcomes/describe-failure.ts";
import { teamsFaults } from "../../fakes/teams/fault.ts";

/** The reason that the outbox stores for an answer of Teams. */
const reasonFor = ({ status, code }: { status: number; code: string }): string => {
  const { reason, message } = explainFailure({ statusCode: status, details: { error: { code } } });
  return `${reason}: ${message}`;
};

describe("given the reason of a dead letter, then operators read the state in a word, and who can fix it", () => {
  it.each([
    ["blocked", "The person has blocked the app in Teams, and can unblock it there.", reasonFor(teamsFaults.blocked)],
    ["removed", "The app is no longer installed there; it must be added again.", reasonFor(teamsFaults.removed)],
    ["disabled", "An administrator has disabled the app in the Teams admin center.", reasonFor(teamsFaults.disabled)],
    ["gone", "The conversation no longer exists in Teams.", reasonFor(teamsFaults.gone)],
    ["blocked", "The person has blocked the app.", "blocked: the person has blocked the app"],
    ["not allowed", "The app is not allowed to write there. Missing_scope.", "forbidden: missing_scope"],
    [
      "unreachable",
      "The platform could not be reached. It is away (after 12 attempts).",
      "unavailable: it is away (after 12 attempts)",
    ],
    ["rate limited", "The platform's rate limit was reached.", "rate-limited"],
    ["failed", "Something else: 42.", "something else: 42"],
  ])("%s: %s", (state, text, reason) => {
    expect(describeFailure(reason)).toEqual({ state, text });
  });
});
