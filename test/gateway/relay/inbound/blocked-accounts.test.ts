import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { systemClock as clock } from "../../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../../core/contract/ports/telemetry.ts";
import { blockAccount, unblockAccount } from "../../../../core/rights/block-record.ts";
import { BlockedAccounts } from "../../../../core/rights/blocked-accounts.ts";
import { relayContext } from "../../../../gateway/channel-contexts.ts";
import { createInbox } from "../../../../gateway/relay/inbox.ts";
import { type BackboneData, createBackboneData, openBackbone } from "../../../core/crashes/backbone-data.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { sampleMessage } from "../../../fakes/sample-message.ts";
import { sampleReply } from "../../../fakes/sample-reply.ts";

const ann = { tenant: "default", channel: "web", accountId: "ann" };

describe.each(["embedded", "nats"] as const)("given an account that an operator blocks, on %s (R3)", (kind) => {
  let data: BackboneData;
  const backbones: Backbone[] = [];
  const lists: BlockedAccounts[] = [];
  const published = new Recorder<UserMessage>();

  beforeEach(async () => {
    data = await createBackboneData[kind]();
    backbones.push(await openBackbone(data.options));
    await backbones[0]?.bus.consume(
      subjectsOf("default").userMessage("mooring"),
      { durable: "test", concurrency: 1 },
      async (message) => {
        published.add(message);
        return ack;
      },
    );
  }, 60_000);
  afterEach(async () => {
    for (const blocked of lists.splice(0)) blocked.stop();
    for (const backbone of backbones.splice(0)) await backbone.close();
    published.items.length = 0;
    await data.dispose();
  });

  /** A gateway process; on the embedded backbone all gateways share the one process that can open the data. */
  const gateway = async () => {
    const [first] = backbones;
    const backbone = kind === "embedded" && first ? first : await openBackbone(data.options);
    if (backbone !== first) backbones.push(backbone);
    const { bus, store } = backbone;
    const blocked = new BlockedAccounts({ bus, store, clock, logger });
    lists.push(blocked);
    await blocked.start(["default"]);
    const inbox = createInbox({ bus, store, clock, logger, meter, blocked });
    const deps = { channel: "web", tenant: "default", agent: "mooring", publicUrl: "", backbone, clock, logger, meter };
    const context = relayContext({ ...deps, newId: () => "id", blocked });
    const send = (id: string, more = {}) =>
      inbox.accept(sampleMessage({ id, text: "hello", ...more })).then(
        (accepted) => accepted ?? "stored",
        (error: Error) => error.message,
      );
    return { backbone, blocked, context, send };
  };
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise(setImmediate);
  };

  it("when it writes to two gateways, then it gets one polite refusal over both, and nothing is stored", async () => {
    const [one, two] = [await gateway(), await gateway()];
    await blockAccount(one.backbone, { ...ann, at: "2026-03-10T21:00:00.000Z" });
    await until(() => one.blocked.has(ann) && two.blocked.has(ann));
    const answers = await Promise.all([one.send("m-1"), two.send("m-2"), one.send("m-3"), two.send("m-4")]);
    expect(answers.filter((answer) => answer !== "ignored")).toEqual([expect.stringContaining("has been blocked")]);
    expect(await one.send("m-5", { command: { name: "help", args: "" } })).toBe("ignored");
    expect(await one.send("m-6", { kind: "edit" })).toBe("ignored");
    expect(await one.send("m-7", { account: { id: "bob", name: "Bob" } })).toBe("stored");
    await published.count(1);
    expect(published.items.map(({ id }) => id)).toEqual(["m-7"]);
  });

  it("when a gateway starts again, then the block holds without a second refusal, until it is lifted", async () => {
    const one = await gateway();
    await blockAccount(one.backbone, { ...ann, at: "2026-03-10T21:00:00.000Z" });
    await until(() => one.blocked.has(ann));
    expect(await one.send("m-1")).toContain("has been blocked");
    const restarted = await gateway();
    expect(await restarted.send("m-2")).toBe("ignored");
    expect(await unblockAccount(one.backbone, ann)).toBe(true);
    await until(() => !restarted.blocked.has(ann) && !one.blocked.has(ann));
    expect(await restarted.send("m-3")).toBe("stored");
    expect(await unblockAccount(one.backbone, ann)).toBe(false);
  });

  it("when its work has a result, then no conversation shows it, and results of others appear (D3)", async () => {
    const { backbone, blocked, context } = await gateway();
    const shared = { channel: "web", room: "lobby", kind: "shared" } as const;
    const alone = { channel: "web", room: "room-1", kind: "private" } as const;
    const of = (accountId: string, conversation: Conversation) =>
      sampleReply("r-1", conversation, "done", { audience: { conversation, personId: null, accountId } });
    expect(await context.targetsOn("web", of("ann", alone))).toHaveLength(1);
    await blockAccount(backbone, { ...ann, at: "2026-03-10T21:00:00.000Z" });
    await until(() => blocked.has(ann));
    for (const conversation of [alone, shared]) {
      expect(await context.targetsOn("web", of("ann", conversation))).toEqual([]);
      expect(await context.isStillTarget(of("ann", conversation), conversation)).toBe(false);
      expect(await context.targetsOn("web", of("bob", conversation))).toHaveLength(1);
      expect(await context.isStillTarget(of("bob", conversation), conversation)).toBe(true);
    }
  });
});
