import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DirectMessageAdapter, EphemeralAdapter } from "../../../../adapters/contract/abilities.ts";
import type { Capabilities, Delivery, Receipt } from "../../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { LANGUAGES } from "../../../../core/contract/texts/texts.ts";
import { changePerson } from "../../../../core/people/person-record.ts";
import type { RelayContext } from "../../../../gateway/relay/context.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const QUEUED: Capabilities = { connection: "shared", resend: "repeats" };
const lobby = room("lobby");
const annsOwn: Conversation = { channel: "paper", room: "dm-ann", kind: "private" };
const IN_PRIVATE = /only for you.*direct message/;

class WhisperingChannel extends LogChannel implements EphemeralAdapter {
  readonly whispers = new Recorder<{ to: string; text: string }>();
  refuses: DeliveryFailed | undefined;
  /** The index of the first part that the platform refuses. */
  refusesFrom = 0;

  async deliverOnlyTo(to: string, { id, part }: Delivery): Promise<Receipt> {
    if (this.refuses && part.index >= this.refusesFrom) throw this.refuses;
    this.whispers.add({ to, text: part.markdown });
    return { messageId: id };
  }
}

class DirectChannel extends LogChannel implements DirectMessageAdapter {
  refuses: DeliveryFailed | undefined;

  async privateConversation(accountId: string): Promise<Conversation> {
    if (this.refuses) throw this.refuses;
    return { ...annsOwn, room: `dm-${accountId}` };
  }
}

class WhisperingDirectChannel extends WhisperingChannel implements DirectMessageAdapter {
  async privateConversation(accountId: string): Promise<Conversation> {
    return { ...annsOwn, room: `dm-${accountId}` };
  }
}

let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const run = async <T extends LogChannel>(
  adapter: T,
  known?: Conversation,
  more: Partial<RelayContext> = {},
): Promise<T> => {
  const context = { ...rig.context, privateConversationOf: async () => known, ...more };
  const running = await runChannel(context, adapter, "gateway");
  rig.closes(() => running.stop());
  return adapter;
};
const answer = (text = "secret") =>
  rig.publish("r1", lobby, text, { kind: "notice", origin: null, correlationId: "m1", onlyFor: "ann" });
const seen = ({ deliveries }: LogChannel) => deliveries.items.map(({ target, part }) => [target.room, part.markdown]);

describe("given the answer to a private command in a shared room (I3)", () => {
  it("when a Spanish caller has no private conversation, then the notice in the room is Spanish", async () => {
    const address = { tenant: "default", channel: "paper", accountId: "ann" };
    await changePerson(rig.backbone.store, address, (person) => ({ ...person, locale: "es" }));
    const channel = await run(new LogChannel("paper", QUEUED));
    await answer();
    await channel.deliveries.count(1);
    expect(seen(channel)).toEqual([["lobby", LANGUAGES.es.placeholders.onlyForYou]]);
  });

  it("when the platform has ephemeral messages, then only the caller sees it, in the room", async () => {
    const channel = await run(new WhisperingChannel("paper", QUEUED));
    await answer();
    expect(await channel.whispers.count(1)).toEqual([{ to: "ann", text: "secret" }]);
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivered"));
    expect(channel.deliveries.items).toEqual([]);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
  });

  it("when the platform rejects the ephemeral message, then it goes to a private conversation, once", async () => {
    const channel = new WhisperingDirectChannel("paper", QUEUED);
    channel.refuses = new DeliveryFailed("rejected", "not here");
    await run(channel);
    await answer();
    await channel.deliveries.count(1);
    expect(seen(channel)).toEqual([["dm-ann", "secret"]]);
    // The same request again, as after a crash: the decision is kept.
    channel.refuses = undefined;
    rig.clock.advance(10 * 60_000);
    await answer();
    await rig.publish("r2", annsOwn, "next");
    await channel.deliveries.count(2);
    expect(channel.whispers.items).toEqual([]);
    expect(seen(channel)).toEqual([
      ["dm-ann", "secret"],
      ["dm-ann", "next"],
    ]);
  });

  it("when the platform accepts only the first parts as ephemeral, then the rest goes to a private conversation, nothing twice", async () => {
    const channel = new WhisperingDirectChannel("paper", { ...QUEUED, maxPartLength: 200 });
    channel.refuses = new DeliveryFailed("rejected", "too late");
    channel.refusesFrom = 1;
    await run(channel);
    const [first, second] = ["one ", "two "].map((word) => word.repeat(40).trim());
    await answer(`${first}\n\n${second}`);
    await channel.deliveries.count(1);
    expect(channel.whispers.items).toEqual([{ to: "ann", text: first }]);
    expect(seen(channel)).toEqual([["dm-ann", second]]);
  });

  it("when the platform has direct messages only, then it is a direct message", async () => {
    const channel = await run(new DirectChannel("paper", QUEUED));
    await answer();
    await channel.deliveries.count(1);
    expect(seen(channel)).toEqual([["dm-ann", "secret"]]);
  });

  it("when the platform is down, then it waits, and the room gets nothing", async () => {
    const channel = new DirectChannel("paper", QUEUED);
    channel.refuses = new DeliveryFailed("unavailable", "down");
    await run(channel);
    await answer();
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "delivery failed, retrying"));
    channel.refuses = undefined;
    await rig.clock.passNext(1_000);
    await channel.deliveries.count(1);
    expect(seen(channel)).toEqual([["dm-ann", "secret"]]);
  });

  it("when the account accepts no new conversation but has written in private before, then it goes there", async () => {
    const channel = new DirectChannel("paper", QUEUED);
    channel.refuses = new DeliveryFailed("forbidden", "closed");
    await run(channel, annsOwn);
    await answer();
    await channel.deliveries.count(1);
    expect(seen(channel)).toEqual([["dm-ann", "secret"]]);
  });

  it.each([
    ["a queue", QUEUED],
    ["a log", { connection: "shared", resend: "log" } as const],
  ])(
    "when there is no private conversation on a channel with %s, then a notice in the room says where to ask",
    async (_, capabilities) => {
      const channel = await run(new LogChannel("paper", capabilities));
      await answer();
      await channel.deliveries.count(1);
      expect(seen(channel)).toEqual([["lobby", expect.stringMatching(IN_PRIVATE)]]);
      expect(JSON.stringify(channel.deliveries.items)).not.toContain("secret");
    },
  );

  it.each([
    ["a queue", QUEUED],
    ["a log", { connection: "shared", resend: "log" } as const],
  ])("when its caller has lost access on a channel with %s, then it is withheld (I2)", async (_, capabilities) => {
    const isStillTarget: RelayContext["isStillTarget"] = async (_reply, { kind }) => kind === "shared";
    const channel = await run(new LogChannel("paper", capabilities), annsOwn, { isStillTarget });
    await answer();
    await rig.logger.lines.until((lines) => lines.some(({ message }) => message.startsWith("delivery withheld")));
    expect(seen(channel)).toEqual([]);
  });
});
