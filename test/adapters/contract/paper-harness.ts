import { randomUUID } from "node:crypto";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { ChannelHarness, PlatformFault, Said } from "../../contract/channel-harness.ts";
import { EditingPaperAdapter, PaperAdapter, ReconcilingPaperAdapter } from "../../fakes/paper-channel.ts";
import type { PaperFault } from "../../fakes/paper-platform.ts";
import { PaperPlatform } from "../../fakes/paper-platform.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";

const FAULTS: Record<PlatformFault, PaperFault> = {
  "rate-limited": "rate-limited",
  unavailable: "unavailable",
  "answer-lost": "cut-after-accept",
  "target-gone": "room-gone",
  forbidden: "no-access",
  hanging: "hang",
};

export interface PaperKind {
  readonly resend: "idempotent" | "repeats";
  readonly ability?: "reconciling" | "editing";
}

/** Sets up the paper channel for the contract suite. */
export const paperHarness =
  ({ resend, ability }: PaperKind) =>
  async ({ channel }: { channel: string }): Promise<ChannelHarness> => {
    const platform = await new PaperPlatform().open();
    platform.recognisesKeys = resend === "idempotent";
    const host = await new WebhookHost().open();
    platform.sendEventsTo(host.urlOf(channel, "events"));
    const stopTimeout = new AbortController();
    const makeAdapter = () => {
      const { apiUrl, token, secret } = platform;
      const config = { apiUrl, token, secret, resend, timeoutMs: 60_000, abort: stopTimeout.signal };
      const context = { channel, tenant: "default", agent: "mooring", clock: systemClock, newId: randomUUID };
      if (ability === "editing") return new EditingPaperAdapter(config, context);
      return ability ? new ReconcilingPaperAdapter(config, context) : new PaperAdapter(config, context);
    };
    let adapter = makeAdapter();
    const start = async (inbox: Inbox) => {
      await adapter.start(inbox);
      host.mount(adapter);
    };
    return {
      get adapter() {
        return adapter;
      },
      kinds: ["private", "shared"],
      hostile: { massMention: "@all", anchor: '↳ Re: "deep research"' },
      start,
      async restart(inbox) {
        adapter = makeAdapter();
        await start(inbox);
      },
      async userSays({ text, person = "ann", kind = "private", event = randomUUID() }: Said) {
        const status = await platform.sendEvent({
          id: event,
          room: kind === "private" ? `dm-${person}` : "lobby",
          direct: kind === "private",
          author: { id: person, name: person },
          text,
          at: new Date().toISOString(),
        });
        if (status === "cut") return "none";
        return status === 200 ? "acknowledged" : "refused";
      },
      async posted(atLeast) {
        await platform.until(({ notes }) => notes.length >= atLeast);
        return platform.notes.map(({ id, room, text, footer }) => ({
          text,
          anchored: footer !== undefined,
          pings: text.includes("@all"),
          messageId: id,
          where: room,
        }));
      },
      breakPlatform(fault) {
        platform.faultIn = () => FAULTS[fault];
      },
      recoverPlatform: () => platform.recover(),
      expireStop: () => stopTimeout.abort(),
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
