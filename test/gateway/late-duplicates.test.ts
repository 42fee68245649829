import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { LogEntry } from "../../adapters/web/history/log-entry.ts";
import { entryKey } from "../../adapters/web/history/log-entry.ts";
import { newVisitorId } from "../../adapters/web/identity/visitor-token.ts";
import { openEmbeddedBackbone } from "../../core/backbone/embedded/open-embedded-backbone.ts";
import { conversationKey } from "../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { UserMessage } from "../../core/contract/messages/user-message.ts";
import { DUPLICATE_WINDOW_MS } from "../../core/contract/ports/bus.ts";
import { silentLogger as logger } from "../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../core/contract/ports/telemetry.ts";
import { startCore } from "../../core/start-core.ts";
import { relayContext } from "../../gateway/channel-contexts.ts";
import { runChannel } from "../../gateway/relay/run-channel.ts";
import { makeWebAdapter } from "../adapters/web/web-gateway.ts";
import { type MessageFields, sampleMessage } from "../fakes/sample-message.ts";
import { ScriptedModel } from "../fakes/scripted-model.ts";
import { SkewedClock } from "../fakes/skewed-clock.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const visitor = newVisitorId(Date.now(), "ann");
const identity = { channel: "web", tenant: "default", agent: "mooring" };
const message = (id: string, more: MessageFields = {}) =>
  sampleMessage({
    id: `web:${visitor}:${id}`,
    conversation: { channel: "web", room: visitor, kind: "private" },
    account: { id: visitor, name: "Visitor" },
    text: id,
    ...more,
  });

/** A whole product on one backbone; `restart` drops all in-memory state. */
const startAll = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-repeats-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const clock = new SkewedClock();
  const backbone = await openEmbeddedBackbone({ dataDir, logger, clock });
  undo.push(() => backbone.close());
  const { bus, store } = backbone;
  const model = new ScriptedModel(({ messages }) => `answer ${messages.filter(({ role }) => role === "user").length}`);
  let stop = async () => {};
  const restart = async () => {
    await stop();
    const core = await startCore({ backbone, agents: [{ ...identity, name: "mooring", model }], clock, logger, meter });
    const adapter = makeWebAdapter("http://localhost", { store, clock });
    const parts = { ...identity, publicUrl: "http://localhost", backbone, clock, logger, meter, newId: () => "id" };
    const channel = await runChannel(relayContext(parts), adapter, "gateway");
    stop = async () => {
      await Promise.all([core.stop(), channel.stop()]);
    };
  };
  undo.push(() => stop());
  await restart();
  return {
    clock,
    model,
    restart,
    receive: (sent: UserMessage) =>
      bus.publish(subjectsOf("default").userMessage("mooring"), sent, {
        id: sent.id,
        key: conversationKey(sent.conversation),
      }),
    async logUpTo(count: number): Promise<LogEntry["frame"][]> {
      const entry = async (seq: number) => (await store.get(entryKey("web", { visitor }, seq)))?.value.frame;
      await expect.poll(() => entry(count)).toBeDefined();
      const all = await Promise.all(Array.from({ length: count + 1 }, (_, index) => entry(index + 1)));
      return all.filter((frame) => frame !== undefined);
    },
  };
};

describe("given duplicates after the bus's duplicate window and a restart (F12)", () => {
  it("when their turns had ended, then no model is called and nothing is shown twice", async () => {
    const product = await startAll();
    const command = message("m2", { command: { name: "help", args: "" } });
    for (const sent of [message("m1"), command]) await product.receive(sent);
    await product.logUpTo(2);
    product.clock.skip(DUPLICATE_WINDOW_MS + 1);
    await product.restart();
    for (const sent of [message("m1"), command, message("m3")]) await product.receive(sent);
    const shown = await product.logUpTo(3);
    expect(shown.map(({ correlationId }) => correlationId)).toEqual(["m1", "m2", "m3"]);
    expect(shown.map(({ markdown }) => String(markdown).split("\n")[0])).toEqual([
      "answer 1",
      expect.stringContaining("write to me"),
      "answer 2",
    ]);
    expect(product.model.requests.items).toHaveLength(2);
  });
});
