import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Capabilities, Delivery } from "../../adapters/contract/channel-adapter.ts";
import { MAX_PART_LENGTH as DISCORD_PART, renderParts } from "../../adapters/discord/render.ts";
import { renderPost, MAX_PART_LENGTH as SLACK_PART } from "../../adapters/slack/render.ts";
import { bytesOf, MAX_PART_LENGTH, renderDelivery, sourceSize } from "../../adapters/teams/render.ts";
import { renderText, MAX_PART_LENGTH as TELEGRAM_PART } from "../../adapters/telegram/render.ts";
import { renderReply } from "../../adapters/web/render.ts";
import { readMarkdown } from "../../adapters/web/widget/markdown/read-markdown.ts";
import { summarisePrompt } from "../../core/lib/shorten-text.ts";
import { deliveryParts } from "../../gateway/relay/sending/delivery-parts.ts";
import { hostileMarkdown } from "../fakes/hostile-markdown.ts";
import { renderedOrPlain } from "../fakes/rendered-or-plain.ts";
import { sampleAnchor, sampleReply } from "../fakes/sample-reply.ts";
import { parseHtml } from "../fakes/telegram/parse-html.ts";
import { expectLinearTime } from "../setup/linear-time.ts";
import { propertyRuns } from "../setup/property-runs.ts";

interface Channel {
  readonly capabilities: Pick<Capabilities, "maxPartLength" | "measure">;
  /** The texts that people see; throws if the platform would refuse one. */
  readonly shown: (delivery: Delivery) => readonly string[];
}

const channels: Readonly<Record<string, Channel>> = {
  slack: {
    capabilities: { maxPartLength: SLACK_PART },
    shown: (delivery) => {
      const { text, blocks, attachments } = renderPost(delivery);
      expect(text.length).toBeLessThanOrEqual(40_000);
      expect(blocks.length).toBeLessThanOrEqual(50);
      const json = JSON.stringify([...blocks, ...attachments]);
      const sections = blocks.flatMap((block) => (block.type === "section" && block.text ? [block.text.text] : []));
      expect(Math.max(0, ...sections.map(({ length }) => length))).toBeLessThanOrEqual(3_000);
      expect(text + json).not.toMatch(/<!channel>|<@U1>/);
      return [...sections, text, json];
    },
  },
  discord: {
    capabilities: { maxPartLength: DISCORD_PART },
    shown: (delivery) =>
      renderParts(delivery).map(({ content }) => {
        expect(content.length).toBeLessThanOrEqual(2_000);
        return content;
      }),
  },
  teams: {
    capabilities: { maxPartLength: MAX_PART_LENGTH, measure: sourceSize },
    shown: (delivery) => {
      const activity = renderDelivery(delivery);
      expect(bytesOf(JSON.stringify(activity))).toBeLessThanOrEqual(28 * 1024);
      return [String(activity.text), JSON.stringify(activity.attachments ?? "")];
    },
  },
  telegram: {
    capabilities: { maxPartLength: TELEGRAM_PART },
    shown: (delivery) => {
      const { html, plain } = renderText(delivery);
      const { text, entities } = parseHtml(html);
      expect(Math.max(text.length, plain.length)).toBeLessThanOrEqual(4_096);
      const isAnchored = delivery.anchor !== null && !delivery.plain;
      expect(entities.filter(({ type }) => type === "blockquote").length).toBeLessThanOrEqual(isAnchored ? 1 : 0);
      return [text];
    },
  },
  web: { capabilities: {}, shown: (delivery) => [JSON.stringify(renderReply(delivery))] },
};

const END = "theendofit";
const target = { channel: "any", room: "room", kind: "private" } as const;

const show = (name: string, channel: Channel, kind: string, markdown: string): void => {
  const reply = sampleReply("r1", target, markdown);
  const parts = expectLinearTime(`splitting "${kind}"`, markdown.length, () =>
    deliveryParts(
      { id: "r1", reply, target },
      { connection: "shared", resend: "log", ...channel.capabilities },
      sampleAnchor,
    ),
  );
  const texts = parts.flatMap((part) =>
    expectLinearTime(`drawing "${kind}" in ${name}`, part.part.markdown.length, () =>
      renderedOrPlain(part, channel.shown),
    ),
  );
  expect(texts.join("\n")).toContain(END);
  expect(texts.join("\n")).toContain("deep research");
};

describe.each(Object.entries(channels))("given a hostile answer on %s", (name, channel) => {
  it.each(Object.entries(hostileMarkdown))(
    "when it is made of %s, then it is rendered in time, to its end (F37, D7)",
    (kind, make) => {
      show(name, channel, kind, `${make(6_000)}\n\n${END}`);
    },
  );

  it("when hostile texts are mixed at random, then each is drawn in time, to its end (F37)", () => {
    const piece = fc.tuple(fc.constantFrom(...Object.keys(hostileMarkdown)), fc.integer({ min: 1, max: 1_500 }));
    const joint = fc.constantFrom("", "\n", "\n\n", " ", "\n- ", "\n> ", "\n\n    ");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), joint, (pieces, between) => {
        const text = pieces.map(([kind, length]) => hostileMarkdown[kind]?.(length) ?? "").join(between);
        show(name, channel, pieces.map(([kind]) => kind).join(" + "), `${text}\n\n${END}`);
      }),
      propertyRuns(25),
    );
  });
});

describe("given a hostile text", () => {
  it.each(Object.entries(hostileMarkdown))(
    "when it is made of %s, then the widget takes it apart in time, or shows it plain (F37)",
    (kind, make) => {
      const text = make(60_000);
      expectLinearTime(kind, text.length / 20, () => readMarkdown(text));
    },
  );

  it.each(Object.entries(hostileMarkdown))(
    "when it is made of %s, then it is summarised in time, in 80 characters (O4)",
    (kind, make) => {
      const text = make(240_000);
      const summary = expectLinearTime(kind, 4_000, () => summarisePrompt(text));
      expect([...new Intl.Segmenter().segment(summary)].length).toBeLessThanOrEqual(80);
    },
  );
});
