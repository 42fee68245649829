import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { Config } from "../../config/config.ts";
import type { ScheduleDeps } from "../../core/schedules/index.ts";

/** What the routes for operators work with. */
export interface AdminParts extends ScheduleDeps {
  readonly config: Config;
  /** Of all channels, on this gateway. */
  readonly adapters: readonly ChannelAdapter[];
}
