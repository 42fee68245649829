import type { Backbone } from "../../core/contract/ports/backbone.ts";
import type { Bus } from "../../core/contract/ports/bus.ts";
import type { Store } from "../../core/contract/ports/store.ts";

interface Counted {
  readonly writes: string[];
  /** Collections of the records read by key. */
  readonly reads: string[];
}

/** Forwards every call and records reads and durable writes. `exclusive`: no other process writes to the store. */
export const countingBackbone = (backbone: Backbone, exclusive = false): Backbone & Counted => {
  const writes: string[] = [];
  const reads: string[] = [];
  const { bus, store } = backbone;
  const countingBus: Bus = {
    publish(subject, message, options) {
      writes.push(`publish ${subject.family}`);
      return bus.publish(subject, message, options);
    },
    consume: (subject, options, handle) => bus.consume(subject, options, handle),
    signal: (subject, message) => bus.signal(subject, message),
    listen: (subject, handle) => bus.listen(subject, handle),
  };
  const countingStore: Store = {
    exclusive,
    get(key, known) {
      reads.push(key.collection.name);
      return store.get(key, known);
    },
    put(key, value, options) {
      writes.push(`put ${key.collection.name}`);
      return store.put(key, value, options);
    },
    delete(key, options) {
      writes.push(`delete ${key.collection.name}`);
      return store.delete(key, options);
    },
    list: (prefix) => store.list(prefix),
  };
  return {
    bus: countingBus,
    store: countingStore,
    writes,
    reads,
    health: () => backbone.health(),
    writeProblem: () => backbone.writeProblem(),
    onHealthChange: (listener) => backbone.onHealthChange(listener),
    queues: () => backbone.queues(),
    close: () => backbone.close(),
  };
};
