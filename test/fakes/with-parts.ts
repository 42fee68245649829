import type { Backbone } from "../../core/contract/ports/backbone.ts";

/** The backbone with another bus or store: its methods are its class's, so it cannot be spread. */
export const withParts = (backbone: Backbone, parts: Partial<Pick<Backbone, "bus" | "store">>): Backbone => ({
  bus: backbone.bus,
  store: backbone.store,
  health: () => backbone.health(),
  writeProblem: () => backbone.writeProblem(),
  queues: () => backbone.queues(),
  close: () => backbone.close(),
  ...parts,
});
