import type { PartOutcome } from "./part-sender.ts";
import type { RelayContext } from "./relay-context.ts";

/** Counts what became of a part. */
export const countPart = ({ meter }: RelayContext, channel: string, outcome: PartOutcome): void => {
  if ("waitMs" in outcome || "withdrawn" in outcome) return;
  if ("accepted" in outcome) {
    const isNew = outcome.accepted !== "before";
    meter.count("deliveries_total", { channel, outcome: isNew ? "accepted" : "accepted-before" });
    return;
  }
  const { reason } = "dead" in outcome ? outcome.dead : outcome.again;
  meter.count("deliveries_total", { channel, outcome: reason });
};
