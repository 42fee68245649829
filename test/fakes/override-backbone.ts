import type { Backbone } from "../../core/contract/ports/backbone.ts";

/** The backbone with another bus or store. A spread would lose its methods, which belong to its class. */
export const overrideBackbone = (backbone: Backbone, parts: Partial<Pick<Backbone, "bus" | "store">>): Backbone => ({
  bus: backbone.bus,
  store: backbone.store,
  health: () => backbone.health(),
  writeProblem: () => backbone.writeProblem(),
  onHealthChange: (listener) => backbone.onHealthChange(listener),
  queues: () => backbone.queues(),
  close: () => backbone.close(),
  ...parts,
});
