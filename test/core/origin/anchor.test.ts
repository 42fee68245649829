import { describe, expect, it } from "vitest";
import type { ReplyOrigin } from "../../../core/contract/messages/work-context.ts";
import { anchorFor } from "../../../core/origin/anchor.ts";

const origin: ReplyOrigin = {
  channel: "slack",
  promptSummary: "deep research 8 historical topics",
  startedAt: "2026-03-10T21:14:00.000Z",
  sessionId: "s-1",
};
const at = (iso: string) => Date.parse(iso);
const soon = at("2026-03-10T23:28:00Z");

describe("given a reply to work that began on Slack", () => {
  it.each([
    ["slack", "s-1", true],
    ["slack", "s-2", false],
    ["web", "s-1", false],
    ["web", "s-2", false],
    ["slack", null, false],
  ])("when it is viewed on %s in session %s, then the anchor is hidden: %s (O8)", (channel, sessionId, hidden) => {
    expect(anchorFor(origin, { channel, sessionId }, soon) === null).toBe(hidden);
  });

  it("when it is shown on the same day, then it says what, when, where and how long ago (O9)", () => {
    expect(anchorFor({ ...origin, link: "https://x.example/p1" }, { channel: "web", sessionId: "s-9" }, soon)).toEqual({
      summary: "deep research 8 historical topics",
      channel: "slack",
      ago: "2h 14m ago",
      startedAt: "2026-03-10T21:14:00.000Z",
      link: "https://x.example/p1",
      text: '↳ Re: "deep research 8 historical topics"\nstarted 21:14 from Slack · 2h 14m ago',
    });
  });

  it("when it began at a terminal, then the channel is written as CLI", () => {
    const anchor = anchorFor({ ...origin, channel: "cli" }, { channel: "web", sessionId: "s-9" }, soon);
    expect(anchor?.text).toContain("from CLI");
  });

  it.each([
    ["2026-03-11T21:15:00Z", undefined, "started 10 Mar, 21:14 from Slack · yesterday"],
    ["2027-01-02T00:00:00Z", undefined, "started 10 Mar 2026, 21:14 from Slack · 10 Mar 2026"],
    ["2026-03-10T23:28:00Z", "Europe/Berlin", "started 10 Mar, 22:14 from Slack · 2h 14m ago"],
    ["2026-03-10T23:28:00Z", "Not/AZone", "started 21:14 from Slack · 2h 14m ago"],
  ])("when it is viewed at %s in %s, then it reads %j (O9)", (now, timeZone, line) => {
    const anchor = anchorFor(origin, { channel: "web", sessionId: "s-9", timeZone }, at(now));
    expect(anchor?.text.split("\n")[1]).toBe(line);
  });
});

describe("given an origin that is not a person's message", () => {
  it("when it was a schedule, then the anchor names it (O9)", () => {
    const scheduled = { ...origin, channel: "scheduled", promptSummary: "daily report", sessionId: null };
    expect(anchorFor(scheduled, { channel: "web", sessionId: "s-1" }, soon)?.text).toBe(
      "scheduled · daily report · 2h 14m ago",
    );
  });

  it("when it was another agent, then the anchor names caller and skill (O9)", () => {
    const inbound = { ...origin, channel: "a2a-inbound", promptSummary: "scout · weather", sessionId: null };
    expect(anchorFor(inbound, { channel: "web", sessionId: "s-1" }, soon)?.text).toBe("scout · weather · 2h 14m ago");
  });
});
