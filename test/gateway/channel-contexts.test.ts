import { describe, expect, it } from "vitest";
import type { MembershipAdapter } from "../../adapters/contract/abilities.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import { silentLogger as logger } from "../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../core/contract/ports/telemetry.ts";
import { relayContext } from "../../gateway/channel-contexts.ts";
import { MemoryStore } from "../adapters/web/memory-store.ts";
import { LogChannel } from "../fakes/log-channel.ts";
import { ManualClock } from "../fakes/manual-clock.ts";
import { sampleReply } from "../fakes/sample-reply.ts";

class ClubChannel extends LogChannel implements MembershipAdapter {
  readonly members = new Set(["ann"]);

  async isMember(_: Conversation, accountId: string): Promise<boolean> {
    return this.members.has(accountId);
  }
}

describe("given a channel that admits the members of a workspace (I2)", () => {
  it("when a member has left, then messages to that account are withheld", async () => {
    const adapter = new ClubChannel("club");
    const clock = new ManualClock();
    const backbone = { store: new MemoryStore(clock) } as never;
    const parts = { channel: "club", tenant: "default", agent: "mooring", publicUrl: "", newId: () => "id" };
    const { isStillTarget } = relayContext({ ...parts, backbone, clock, logger, meter }, { adapter });
    const conversation = { channel: "club", room: "dm", kind: "private" } as const;
    const reply = sampleReply("r1", conversation, "words", {
      audience: { conversation, personId: "p", accountId: "ann", membership: 0 },
    });
    expect(await isStillTarget(reply, conversation)).toBe(true);
    adapter.members.delete("ann");
    expect(await isStillTarget(reply, conversation)).toBe(false);
  });
});
