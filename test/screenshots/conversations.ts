import type { Activity } from "../../core/contract/messages/agent-reply.ts";
import type { makeDelivery } from "../adapters/web/make-delivery.ts";

type Changes = NonNullable<Parameters<typeof makeDelivery>[2]>;

/** A message of the person with its immediate answer, or a proactive message. */
export type Step = { readonly say: string; readonly answer?: string } | { readonly deliver: () => Changes };
export type Telling = readonly Step[];

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const research: Activity = {
  id: "a1",
  revision: 1,
  title: "Research: lighthouses, tides and knots",
  items: [
    {
      id: "subtask-00000001",
      name: "lighthouses",
      state: "completed",
      startedAt: ago(1.4),
      endedAt: ago(0.6),
      result: "The oldest that still works has stood since the second century.",
    },
    {
      id: "subtask-00000002",
      name: "tides",
      state: "running",
      startedAt: ago(1.4),
      note: "reading the tables for June",
    },
    { id: "subtask-00000003", name: "knots", state: "pending" },
  ],
};

const anchored = (): Changes => ({
  anchor: {
    summary: "deep research 8 historical topics",
    channel: "slack",
    startedAt: ago(134),
    link: "https://acme.example/archives/C1/p1",
    text: "",
  },
  reply: {
    markdown:
      "Here is the short version of **eight topics**:\n\n1. The harbour was dredged in 1871\n2. The lighthouse got its lens in 1902\n3. The old customs house became a school\n\nThe full report has sources for each.",
    createdAt: ago(0),
  },
});

const anchoredAs = (
  anchor: Partial<NonNullable<Changes["anchor"]>>,
  markdown: string,
  part?: Changes["part"],
): Changes => ({
  anchor: { summary: "compare the tides", channel: "slack", startedAt: ago(134), text: "", ...anchor },
  reply: { markdown, createdAt: ago(0) },
  ...(part && { part }),
});

const LONG =
  "please compare the tide tables of all eight harbours between Brest and Den Helder for the next two weeks and";
const asked = { channel: "discord", at: ago(26 * 60), ago: "yesterday" };
const first = { index: 0, count: 2, markdown: "The first part of a long answer, which begins with the anchor." };
const second = { index: 1, count: 2, markdown: "The second part of the same answer, without an anchor." };

export const conversations = {
  /** Every kind of anchor, the first and a later part of a split message. */
  allAnchors: [
    { say: "hello", answer: "Hello! What can I do for you?" },
    { deliver: () => anchoredAs({}, "High water is at six in the evening.") },
    { deliver: () => anchoredAs({ summary: LONG, channel: "cli", startedAt: ago(0.2) }, "Here is the comparison.") },
    { deliver: () => anchoredAs({ channel: "scheduled", summary: "Stretch", startedAt: ago(1), asked }, "Stretch!") },
    {
      deliver: () =>
        anchoredAs({ channel: "a2a-inbound", summary: "harbour · berths", startedAt: ago(3) }, "Berth 7 is free."),
    },
    { deliver: () => anchoredAs({ startedAt: ago(5_000) }, first.markdown, first) },
    { deliver: () => ({ part: second, reply: { markdown: second.markdown, createdAt: ago(0) } }) },
  ],
  empty: [],
  anchored: [
    { say: "When is high water today?", answer: "High water is at **12:40**, and again shortly after one at night." },
    { deliver: anchored },
    { say: "Thank you! Remind me at noon." },
  ],
  delegated: [
    {
      say: "Research lighthouses, tides and knots",
      answer: "I have started three subtasks. You will get one answer when they are done.",
    },
    {
      deliver: () => ({ reply: { kind: "progress", markdown: "", data: { activity: research }, createdAt: ago(0) } }),
    },
  ],
  arabic: [
    { say: "متى يكون المد اليوم؟", answer: "المد العالي عند الساعة **12:40**.\n\n- المرسى الشرقي\n- المرسى الغربي" },
    { deliver: anchored },
  ],
} satisfies Record<string, Telling>;
