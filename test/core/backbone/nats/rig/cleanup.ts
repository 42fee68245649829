import { afterEach } from "vitest";
import type { NatsBackboneOptions } from "../../../../../core/backbone/nats/connection/nats-options.ts";
import { openNatsBackbone } from "../../../../../core/backbone/nats/open-nats-backbone.ts";
import type { Backbone } from "../../../../../core/contract/ports/backbone.ts";
import type { NatsServerOptions } from "../../../../fakes/nats-server.ts";
import { NatsServer } from "../../../../fakes/nats-server.ts";
import { NatsWire } from "../../../../fakes/nats-wire.ts";
import { ChildConsumer } from "./child-consumer.ts";

/** Starts servers, backbones and processes for one test, and stops them after it, the last one first. */
export const cleanup = () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });
  return {
    async server(options?: NatsServerOptions): Promise<NatsServer> {
      const server = await NatsServer.start(options);
      undo.push(() => server.stop());
      return server;
    },
    async wire(port: number): Promise<NatsWire> {
      const wire = await NatsWire.to(port);
      undo.push(() => wire.close());
      return wire;
    },
    async backbone(options: NatsBackboneOptions): Promise<Backbone> {
      const backbone = await openNatsBackbone({ leaseMs: 1_000, ...options });
      undo.push(() => backbone.close());
      return backbone;
    },
    async child(url: string, options?: { leaseMs?: number; handleMs?: number }): Promise<ChildConsumer> {
      const child = await ChildConsumer.start(url, options);
      undo.push(() => child.end());
      return child;
    },
  };
};
