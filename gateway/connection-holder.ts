import type { BackboneConfig } from "../core/backbone/index.ts";
import { defaultRelayLimits } from "./relay/index.ts";

export interface ConnectionHolder {
  /** This gateway's name among those that run. */
  readonly instance: string;
  readonly leaseMs: number;
}

/** As whom this gateway holds a connection that only one may have, and how long it stays its own without a sign of life. */
export const connectionHolder = (backbone: BackboneConfig, newId: () => string): ConnectionHolder =>
  backbone === "embedded"
    ? // Its data takes one process at a time: the next one is its heir, and waits for no lease to end.
      { instance: "embedded", leaseMs: defaultRelayLimits.leaseMs }
    : { instance: newId(), leaseMs: backbone.nats.leaseMs };
