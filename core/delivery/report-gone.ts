import type { AgentReply } from "../contract/agent-reply.ts";
import type { Bus } from "../contract/bus.ts";
import type { Checkpoint } from "../contract/checkpoint.ts";
import type { Clock } from "../contract/clock.ts";
import { isoTime } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import type { Store } from "../contract/store.ts";
import type { GoneMatter } from "./gone-matter.ts";
import { GONE } from "./gone-matter.ts";
import { settleGone } from "./gone-record.ts";
import { goneWords } from "./gone-words.ts";
import type { OtherPlaces } from "./other-place.ts";
import { otherPlace } from "./other-place.ts";
import { publishReply } from "./publish-reply.ts";

export interface ReportParts extends OtherPlaces {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkpoint: Checkpoint;
}

/** What could not be delivered. */
export type GoneCause = Pick<AgentReply, "id" | "tenant" | "agent" | "traceId">;

/**
 * A result cannot get where it was to go: its person is told elsewhere, else the agent's home (P2). Once a week for a
 * schedule and a place. Doing it again, after a death half-way, says the same under the same id.
 */
export const reportGone = async (parts: ReportParts, matter: GoneMatter, cause: GoneCause): Promise<void> => {
  const { bus, store, clock, logger, checkpoint } = parts;
  const { id, tenant, agent, traceId } = cause;
  const decide = async () => {
    const place = await otherPlace(parts, tenant, matter);
    if (place === undefined) {
      const what = matter.id ?? matter.kind;
      logger.error({ tenant, agent, what, traceId }, "a result's place is gone, and nobody can be told: set `home`");
    }
    const markdown = goneWords(matter, place?.isTheirs ?? false);
    return { cause: id, audience: place?.audience ?? null, markdown, at: isoTime(clock.now()) };
  };
  const record = await settleGone(store, cause, matter, decide);
  await checkpoint("gone.settled");
  if (record.cause !== id || record.audience === null) return;
  await publishReply(bus, {
    id: `${id}/gone`,
    tenant,
    agent,
    sessionId: null,
    kind: "notice",
    markdown: record.markdown,
    origin: null,
    audience: record.audience,
    data: { [GONE]: matter },
    mayRepeat: true,
    createdAt: record.at,
    traceId,
  });
  await checkpoint("gone.told");
};
