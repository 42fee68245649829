import { describe, expect, it } from "vitest";
import type { Delivery } from "../../adapters/contract/channel-adapter.ts";
import { renderParts } from "../../adapters/discord/render.ts";
import { renderPost } from "../../adapters/slack/render.ts";
import { renderDelivery } from "../../adapters/teams/render.ts";
import { renderText } from "../../adapters/telegram/render.ts";
import type { Shown } from "../../adapters/web/client/transcript.ts";
import { renderReply } from "../../adapters/web/render.ts";
import { TerminalView } from "../../adapters/web/terminal/terminal-view.ts";
import type { ReplyOrigin } from "../../core/contract/messages/work-context.ts";
import { anchorFor } from "../../core/origin/index.ts";
import { deliveryParts } from "../../gateway/relay/sending/delivery-parts.ts";
import { sampleReply } from "../fakes/sample-reply.ts";

const NOW = Date.parse("2026-03-10T23:28:00.000Z");
const target = { channel: "here", room: "1", kind: "private" as const };
const viewer = { channel: "here", sessionId: "s-here", timeZone: "Europe/London", locale: "en-GB" };
const startedAt = "2026-03-10T21:14:00.000Z";
const origins: Readonly<Record<string, ReplyOrigin>> = {
  "asked in the terminal": {
    channel: "cli",
    promptSummary: "deep research 8 historical topics",
    startedAt,
    sessionId: "s-cli",
  },
  "a reminder": {
    channel: "scheduled",
    promptSummary: "stretch",
    startedAt: "2026-03-10T23:28:00.000Z",
    sessionId: "s-run",
    isReminder: true,
    asked: { channel: "slack", at: startedAt },
  },
  "another agent": { channel: "a2a-inbound", promptSummary: "harbour · tides", startedAt, sessionId: "s-a2a" },
};

const terminal = (delivery: Delivery): string => {
  let written = "";
  const view = new TerminalView({
    isLive: false,
    isStyled: false,
    warn: () => undefined,
    write: (text) => {
      written += text;
    },
  });
  view.reply({ ...renderReply(delivery), seq: 1 } as Shown);
  return written;
};

const channels: Readonly<Record<string, (delivery: Delivery) => unknown>> = {
  discord: renderParts,
  slack: renderPost,
  teams: renderDelivery,
  telegram: renderText,
  web: renderReply,
  terminal,
};

const capabilities = { connection: "shared", resend: "repeats" } as const;

/** A reply of one part, and one of two parts. */
const deliveriesOf = (origin: ReplyOrigin): Delivery[] => {
  const anchor = anchorFor(origin, viewer, NOW);
  const replyOf = (markdown: string) => ({
    ...sampleReply("r1", target, markdown),
    createdAt: "2026-03-10T23:28:00.000Z",
    origin,
  });
  const short = deliveryParts({ id: "d", reply: replyOf("The answer."), target }, capabilities, anchor);
  const long = replyOf(`The first part ${"is long ".repeat(12)}.\n\nThe second part ${"is long ".repeat(12)}.`);
  return [
    ...short,
    ...deliveryParts({ id: "d", reply: long, target }, { ...capabilities, maxPartLength: 150 }, anchor),
  ];
};

describe("given anchored messages of every kind of origin", () => {
  it.each(Object.keys(channels))(
    "when %s shows a short and a split one, then they match the golden file (O9, O10)",
    async (name) => {
      const render = channels[name];
      const shown = Object.fromEntries(
        Object.entries(origins).map(([kind, origin]) => [kind, deliveriesOf(origin).map((each) => render?.(each))]),
      );
      await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot(`golden/anchors-${name}.json`);
    },
  );

  it.each(Object.keys(channels))(
    "when %s shows them, then the anchor stands before the text, on the first part only (O9)",
    (name) => {
      for (const origin of Object.values(origins)) {
        const [short, first, second] = deliveriesOf(origin).map((each) => JSON.stringify(channels[name]?.(each)));
        const { promptSummary } = origin;
        for (const [shown = "", text = ""] of [
          [short, "The answer."],
          [first, "The first part"],
        ]) {
          expect(shown).toContain(promptSummary);
          // The web channel sends data; its widget draws the anchor first.
          if (name !== "web") expect(shown.indexOf(promptSummary)).toBeLessThan(shown.indexOf(text));
        }
        if (name !== "web") expect(second).not.toContain(promptSummary);
      }
    },
  );
});
