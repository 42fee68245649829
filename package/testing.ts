import { randomUUID } from "node:crypto";
import type { AdapterContext } from "../adapters/contract/adapter-context.ts";
import { alwaysWritable } from "../core/contract/ports/backbone.ts";
import { systemClock } from "../core/contract/ports/clock.ts";
import { silentLogger } from "../core/contract/ports/logger.ts";
import { silentMeter } from "../core/contract/ports/telemetry.ts";
import { channelAdapterContract as contract } from "../test/contract/channel-adapter.contract.ts";
import { MemoryStore } from "../test/fakes/memory-store.ts";
import { type TestRunner, useRunner } from "./test-runner.ts";

export type {
  Answer,
  ChannelHarness,
  ConversationKind,
  Forgery,
  HarnessOptions,
  PlatformFault,
  PlatformFeatures,
  Post,
  Press,
  Said,
  SaidFile,
  Sign,
} from "../test/contract/channel-harness.ts";
export { ManualClock } from "../test/fakes/manual-clock.ts";
export { MemoryStore } from "../test/fakes/memory-store.ts";
export { sampleDelivery } from "../test/fakes/sample-delivery.ts";
export { sampleAnchor, sampleReply } from "../test/fakes/sample-reply.ts";
export { TestInbox } from "../test/fakes/test-inbox.ts";
export { WebhookHost } from "../test/fakes/webhook-host.ts";
export type { TestRunner } from "./test-runner.ts";

/** Starts an adapter and a local copy of its platform, for one case. */
export type MakeHarness = Parameters<typeof contract>[1];

/**
 * Defines the cases that every channel passes, under your own test runner:
 * `channelAdapterContract("paper", makeHarness, { describe, it, expect })`.
 */
export const channelAdapterContract = (name: string, makeHarness: MakeHarness, runner: TestRunner): void => {
  useRunner(runner);
  contract(name, makeHarness);
};

/** The second argument of `create`, with a store in memory. Pass the store again to simulate a restart. */
export const testContext = (given: Partial<AdapterContext> & Pick<AdapterContext, "channel">): AdapterContext => ({
  tenant: "default",
  agent: "mooring",
  publicUrl: "http://127.0.0.1:8080",
  commands: [],
  store: new MemoryStore(),
  writes: alwaysWritable,
  signal: () => undefined,
  sessionOf: async () => "session-1",
  clock: systemClock,
  logger: silentLogger,
  meter: silentMeter,
  newId: randomUUID,
  ...given,
});
