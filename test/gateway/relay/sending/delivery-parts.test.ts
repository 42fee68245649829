import { describe, expect, it } from "vitest";
import { capabilitiesIn } from "../../../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { deliveryParts, draftOf } from "../../../../gateway/relay/sending/delivery-parts.ts";
import { sampleAnchor, sampleReply } from "../../../fakes/sample-reply.ts";

const target = { channel: "paper", room: "lobby", kind: "shared" } as const;
const partsOf = (markdown: string, maxPartLength?: number) =>
  deliveryParts(
    { id: "r/lobby", reply: sampleReply("r", target, markdown), target },
    { connection: "shared", resend: "repeats", ...(maxPartLength !== undefined && { maxPartLength }) },
    sampleAnchor,
  );

const spelledFor = (reply: object, commandPrefix?: string) =>
  deliveryParts(
    { id: "r/lobby", reply: { ...sampleReply("r", target, "Write `/link`."), ...reply }, target },
    { connection: "shared", resend: "repeats", ...(commandPrefix !== undefined && { commandPrefix }) },
    null,
  ).map(({ part }) => part.markdown);

describe("given a reply that names a command (I3)", () => {
  it.each([{ kind: "notice" }, { outcome: "failed" }])(
    "when core wrote it (%j), then the channel's prefix is used",
    (by) => {
      expect(spelledFor(by, "/mooring ")).toEqual(["Write `/mooring link`."]);
      expect(spelledFor(by)).toEqual(["Write `/link`."]);
    },
  );

  it("when it is shown in a thread where people type commands differently, then the thread's prefix is used", () => {
    const prefixes = { commandPrefix: "/mooring ", threadCommandPrefix: "@Mooring /" };
    const textIn = (thread?: string) => {
      const shownIn = { ...target, ...(thread !== undefined && { thread }) };
      const reply = { ...sampleReply("r", shownIn, "Write `/link`."), kind: "notice" as const };
      const capabilities = { connection: "shared", resend: "repeats", ...prefixes } as const;
      return deliveryParts({ id: "r/lobby", reply, target: shownIn }, capabilities, null)[0]?.part.markdown;
    };
    expect(textIn()).toBe("Write `/mooring link`.");
    expect(textIn("17.1")).toBe("Write `@Mooring /link`.");
  });

  it("when the model wrote it, then its text stays as it is", () => {
    expect(spelledFor({}, "/mooring ")).toEqual(["Write `/link`."]);
  });
});

describe("given a reply for a channel", () => {
  it("when its text imitates an anchor, then it is escaped (O16)", () => {
    const [part] = partsOf(`look\n${sampleAnchor.text}`);
    expect(part?.part.markdown).toBe('look\n→ Re: "deep research"\nstarted 21:14 from Elsewhere, 2h 14m ago');
    expect(part?.anchor).toEqual(sampleAnchor);
  });

  it("when a split puts the imitation at the start of a part, then it is escaped there", () => {
    const parts = partsOf(`${"word ".repeat(60)}scheduled · daily report · ${"long ".repeat(50)}`, 305);
    expect(parts.length).toBeGreaterThan(1);
    for (const { part } of parts) expect(part.markdown).not.toMatch(/^scheduled ·/m);
    expect(parts.map(({ anchor }) => anchor !== null)).toEqual(parts.map((_, index) => index === 0));
  });
});

describe("given an answer to a message whose platform id is known (C1)", () => {
  const answers = "7.1";
  const capabilities = { connection: "shared", resend: "repeats", maxPartLength: 200 } as const;
  const reply = sampleReply("r", target, "one two three ".repeat(40), { correlationId: "paper:q", answers });
  const namedIn = (shownIn: Conversation) =>
    deliveryParts({ id: "r/x", reply, target: shownIn }, capabilities, null).map((part) => part.answers);

  it("when it is shown in the conversation of the message, then each part names the message", () => {
    expect(new Set(namedIn(target))).toEqual(new Set([answers]));
  });

  it("when it is shown in another conversation, then no part names it", () => {
    expect(new Set(namedIn({ ...target, room: "elsewhere" }))).toEqual(new Set([undefined]));
    expect(new Set(namedIn({ ...target, thread: "t" }))).toEqual(new Set([undefined]));
  });

  it("when its draft is posted first, then the draft names it", () => {
    const draft = { ...reply, kind: "progress" as const };
    expect(draftOf({ id: "r/x", reply: draft, target }, capabilities).answers).toBe(answers);
  });
});

describe("given a room with other limits than its channel (C1)", () => {
  const adapter = { channel: "paper", capabilities: { connection: "shared", resend: "repeats", editEveryMs: 1_000 } };
  const limited = {
    ...adapter,
    limitsIn: ({ kind }: Conversation) => (kind === "shared" ? { editEveryMs: 3_000 } : {}),
  };

  it("when the capabilities in a conversation are requested, then the limits of the room apply", () => {
    const inRoom = (adapterOf: object, kind: Conversation["kind"]) =>
      capabilitiesIn(adapterOf as ChannelAdapter, { ...target, kind }).editEveryMs;
    expect([inRoom(adapter, "shared"), inRoom(limited, "shared"), inRoom(limited, "private")]).toEqual([
      1_000, 3_000, 1_000,
    ]);
  });
});
