import type { BackboneConfig } from "../../core/backbone/config.ts";
import { natsConnectionOf } from "../open-backbone.ts";
import type { Finding } from "./finding.ts";

/** What an accepted message survives: the end of a process always, a power cut where the backbone syncs every write. */
export const describeDurability = async (config: BackboneConfig): Promise<Finding> => {
  const subject = "backbone";
  if (config === "embedded") {
    return { verdict: "ok", subject, text: "embedded; durability power-loss: every write is synced to disk" };
  }
  const { inspectNats } = await import("../../core/backbone/nats/inspect-nats.ts");
  const { version, canSyncAlways } = await inspectNats(natsConnectionOf(config));
  const found = `NATS ${version} with JetStream`;
  return canSyncAlways
    ? {
        verdict: "note",
        subject,
        text: `${found}; durability process-crash, or power-loss if the server has "sync_interval: always", which it does not tell clients: look at its configuration`,
      }
    : {
        verdict: "note",
        subject,
        text: `${found}; durability process-crash: a power cut may lose the last two minutes. Server 2.10 or newer with "sync_interval: always" gives power-loss`,
      };
};
