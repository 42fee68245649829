import { z } from "zod";
import { collection, keyOf, type Store } from "../../core/contract/ports/store.ts";
import { update } from "../../core/contract/ports/update.ts";

export const ChannelState = z.enum(["running", "standby", "failing"]);
export type ChannelState = z.infer<typeof ChannelState>;

const GatewayReport = z.looseObject({
  state: ChannelState,
  reason: z.string().optional(),
  seenAt: z.iso.datetime(),
});
export type GatewayReport = z.infer<typeof GatewayReport>;

const ChannelError = z.looseObject({
  at: z.iso.datetime(),
  what: z.enum(["intake", "delivery", "connection"]),
  reason: z.string(),
  /** Consecutive occurrences. */
  count: z.int().positive(),
});
export type ChannelError = z.infer<typeof ChannelError>;

/** The state of a channel on all gateways, stored so that it outlives them. */
const ChannelStatus = z.looseObject({
  /** Keyed by gateway instance. */
  gateways: z.record(z.string(), GatewayReport),
  lastInAt: z.iso.datetime().optional(),
  lastOutAt: z.iso.datetime().optional(),
  /** Newest first. */
  errors: z.array(ChannelError),
});
type ChannelStatus = z.infer<typeof ChannelStatus>;

/** Exists while an operator has paused the channel on all gateways. */
const ChannelPause = z.looseObject({
  at: z.iso.datetime(),
  by: z.looseObject({ role: z.string(), token: z.string() }),
});

const statuses = collection("channel-status", ChannelStatus);
const pauses = collection("channel-pauses", ChannelPause);

export interface ChannelRef {
  readonly tenant: string;
  readonly channel: string;
}

const statusKey = ({ tenant, channel }: ChannelRef) => keyOf(statuses, tenant, channel);
export const pauseKey = ({ tenant, channel }: ChannelRef) => keyOf(pauses, tenant, channel);

const EMPTY_STATUS: ChannelStatus = { gateways: {}, errors: [] };

export const readStatus = async (store: Store, ref: ChannelRef): Promise<ChannelStatus> =>
  (await store.get(statusKey(ref)))?.value ?? EMPTY_STATUS;

export const changeStatus = async (
  store: Store,
  ref: ChannelRef,
  change: (status: ChannelStatus) => ChannelStatus,
): Promise<void> => {
  await update(store, statusKey(ref), change, { initial: EMPTY_STATUS });
};

/** A gateway without a report for this long has stopped. */
const REPORT_TTL_MS = 120_000;

export const liveGateways = ({ gateways }: ChannelStatus, now: number): [string, GatewayReport][] =>
  Object.entries(gateways).filter(([, { seenAt }]) => now - Date.parse(seenAt) < REPORT_TTL_MS);
