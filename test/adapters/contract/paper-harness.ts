import { randomUUID } from "node:crypto";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { Answer, ChannelHarness, HarnessOptions, PlatformFault, Said } from "../../contract/channel-harness.ts";
import { paperAbilities } from "../../fakes/paper-channel.ts";
import type { PaperEvent, PaperFault, Signing } from "../../fakes/paper-platform.ts";
import { PaperPlatform, RETRY_AFTER_S } from "../../fakes/paper-platform.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";

const FAULTS: Record<PlatformFault, PaperFault> = {
  "rate-limited": "rate-limited",
  unavailable: "unavailable",
  "answer-lost": "cut-after-accept",
  "failed-after-accept": "fail-after-accept",
  "target-gone": "room-gone",
  forbidden: "no-access",
  rejected: "unreadable",
  hanging: "hang",
};

export interface PaperKind {
  readonly resend: "idempotent" | "repeats";
  readonly ability?: "reconciling" | "editing" | "moving";
}

/** Sets up the paper channel for the contract suite. */
export const paperHarness =
  ({ resend, ability }: PaperKind) =>
  async ({ channel }: HarnessOptions): Promise<ChannelHarness> => {
    const platform = await new PaperPlatform().open();
    platform.recognisesKeys = resend === "idempotent";
    const host = await new WebhookHost().open();
    platform.sendEventsTo(host.urlOf(channel, "events"));
    const stopTimeout = new AbortController();
    const makeAdapter = () => {
      const { apiUrl, token, secret } = platform;
      const config = { apiUrl, token, secret, resend, timeoutMs: 60_000, abort: stopTimeout.signal };
      const context = { channel, tenant: "default", agent: "mooring", clock: systemClock, newId: randomUUID };
      return new paperAbilities[ability ?? "none"](config, context);
    };
    let adapter = makeAdapter();
    const now = (event: PaperEvent): PaperEvent => ({
      ...event,
      room: platform.movedRooms.get(event.room) ?? event.room,
    });
    const start = async (inbox: Inbox) => {
      await adapter.start(inbox);
      host.mount(adapter);
    };
    return {
      get adapter() {
        return adapter;
      },
      kinds: ["private", "shared"],
      platform: {
        mentions: false,
        threads: true,
        replies: false,
        unmentionedReplies: false,
        attachments: false,
        bots: false,
        edits: false,
        buttons: false,
        quotes: false,
        times: true,
        idsPerRoom: false,
      },
      retryAfterMs: RETRY_AFTER_S * 1_000,
      hostile: { massMention: "@all", anchor: '↳ Re: "deep research"' },
      start,
      async restart(inbox) {
        adapter = makeAdapter();
        await start(inbox);
      },
      userSays: async (said) => answerOf(await platform.sendEvent(now(eventOf(said)), { at: Date.now() })),
      async userEdits() {},
      press: async () => "none",
      async forge(said, forgery) {
        const event = eventOf(said);
        if (forgery === "misdirected") return "impossible";
        const at = Date.now();
        const signing: Signing = {
          unsigned: { secret: "" },
          "wrong-key": { secret: "another secret", at },
          altered: { signedAs: { ...event, text: "something else" }, at },
          stale: { at: at - 3_600_000 },
        }[forgery];
        return answerOf(await platform.sendEvent(event, signing));
      },
      async posted(atLeast) {
        await platform.until(({ notes }) => notes.length >= atLeast);
        return platform.notes.map(({ id, room, thread, text, footer }) => ({
          text,
          anchored: footer !== undefined,
          pings: text.includes("@all"),
          messageId: id,
          where: `${room}/${thread ?? ""}`,
          buttons: [],
        }));
      },
      textAt: async () => undefined,
      signsDuring: async () => [],
      breakPlatform(fault) {
        platform.faultIn = () => FAULTS[fault];
      },
      recoverPlatform: () => platform.recover(),
      expireStop: () => stopTimeout.abort(),
      async moveRoom() {
        platform.movedRooms.set("lobby", "harbour");
        const event = { ...eventOf({ text: "", kind: "shared" }), room: "lobby", movedTo: "harbour" };
        return answerOf(await platform.sendEvent(event));
      },
      removePost(messageId) {
        const at = platform.notes.findIndex(({ id }) => id === messageId);
        platform.notes.splice(at, 1);
      },
      async close() {
        await adapter.stop();
        await host.close();
        await platform.close();
      },
    };
  };

const eventOf = ({ text, person = "ann", kind = "private", event = randomUUID(), thread, at }: Said): PaperEvent => ({
  id: event,
  room: kind === "private" ? `dm-${person}` : "lobby",
  ...(thread !== undefined && { thread }),
  direct: kind === "private",
  author: { id: person, name: person },
  text,
  at: at ?? new Date().toISOString(),
});

const answerOf = (status: number | "cut"): Answer => {
  if (status === "cut") return "none";
  return status === 200 ? "acknowledged" : "refused";
};
