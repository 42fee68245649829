import { dialNats } from "./dial-nats.ts";
import type { NatsBackboneOptions } from "./nats-options.ts";
import { natsOptions } from "./nats-options.ts";

export interface NatsInspection {
  readonly version: string;
  /** The server is new enough for "sync_interval: always"; whether it is set, it does not tell clients. */
  readonly canSyncAlways: boolean;
}

/** Asks a server what it is. Rejects as a connection would: not reached, refused, no JetStream. */
export const inspectNats = async (options: NatsBackboneOptions): Promise<NatsInspection> => {
  const { nc } = await dialNats(natsOptions(options));
  const version = nc.info?.version ?? "";
  await nc.close();
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return { version, canSyncAlways: major > 2 || (major === 2 && minor >= 10) };
};
