import { createHash } from "node:crypto";
import type { Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { STOP_TIMEOUT_MS } from "../../../adapters/teams/api/calls.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import type { ChannelHarness, PlatformFault, Said } from "../../contract/channel-harness.ts";
import { HeldClock } from "../../fakes/held-clock.ts";
import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import type { TeamsFault } from "../../fakes/teams/fault.ts";
import { teamsFaults } from "../../fakes/teams/fault.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import { MemoryStore } from "../web/memory-store.ts";
import { makeTeamsAdapter } from "./make-teams-adapter.ts";

const FAULTS: Record<PlatformFault, TeamsFault> = {
  "rate-limited": teamsFaults.rateLimited,
  unavailable: teamsFaults.unavailable,
  "answer-lost": "cut-after-accept",
  "target-gone": teamsFaults.gone,
  forbidden: teamsFaults.blocked,
  hanging: "hang",
};

/** Sets up the Teams channel for the contract suite. */
export const teamsHarness = async ({ channel }: { channel: string }): Promise<ChannelHarness> => {
  const teams = await FakeTeams.start();
  const host = await new WebhookHost().open();
  const store = new MemoryStore(systemClock);
  teams.endpoint = host.urlOf(channel, "messages");
  const clock = new HeldClock(STOP_TIMEOUT_MS);
  let adapter = makeTeamsAdapter(teams, { channel, store, clock });
  const start = async (inbox: Inbox) => {
    await adapter.start(inbox);
    host.mount(adapter);
  };
  return {
    get adapter() {
      return adapter;
    },
    kinds: ["private", "shared"],
    hostile: {
      massMention: "<at>General</at>",
      anchor: '↳ Re: "deep research"\n{{DATE(2025-01-01T00:00:00Z,SHORT)}} {{TIME(2025-01-01T00:00:00Z)}}',
    },
    start,
    async restart(inbox) {
      adapter = makeTeamsAdapter(teams, { channel, store, clock });
      await start(inbox);
    },
    async userSays({ text, person = "ann", kind = "private", event }: Said) {
      const status = await teams.say({
        text,
        person,
        conversationType: kind === "private" ? "personal" : "channel",
        // In a thread, because each first message in a channel begins another conversation.
        ...(kind === "shared" && { thread: "1600000000000" }),
        ...(event !== undefined && { id: idOf(event) }),
      });
      if (status === 0) return "none";
      return status === 200 ? "acknowledged" : "refused";
    },
    async posted(atLeast) {
      const posts = await teams.api.posts.count(atLeast);
      return posts.map(({ id, conversationId, activity }) => {
        const { text = "", attachments = [], entities = [] } = activity;
        return {
          text: text.replace(/<[^>]*>/g, " "),
          anchored: /\{\{(DATE|TIME)\(/.test(JSON.stringify([text, attachments])),
          pings: entities.length > 0 || /<at\b/i.test(text),
          messageId: id,
          where: conversationId,
        };
      });
    },
    breakPlatform(fault) {
      teams.fault = FAULTS[fault];
    },
    recoverPlatform: () => teams.recover(),
    expireStop: () => clock.expire(),
    removePost(messageId) {
      const at = teams.api.posts.items.findIndex(({ id }) => id === messageId);
      teams.api.posts.items.splice(at, 1);
    },
    async close() {
      await adapter.stop();
      await host.close();
      await teams.stop();
    },
  };
};

const idOf = (event: string): string =>
  String(Number.parseInt(createHash("sha256").update(event).digest("hex").slice(0, 10), 16));
