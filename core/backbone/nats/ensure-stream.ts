import type { StreamConfig, StreamInfo } from "nats";
import { isNotFound } from "./nats-fault.ts";
import type { NatsSession } from "./nats-session.ts";

/** The stream as it is, or as just made. Racing makers agree: the same configuration twice is no error. */
export const ensureStream = (
  session: NatsSession,
  config: Partial<StreamConfig> & { name: string },
): Promise<StreamInfo> =>
  session.once(config.name, async () => {
    try {
      return await session.lookups.streams.info(config.name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return await session.jsm.streams.add(config);
    }
  });
