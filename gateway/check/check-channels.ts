import { isCheckableAdapter } from "../../adapters/contract/abilities.ts";
import type { Config } from "../../config/index.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import { tenantOf } from "../agent-config.ts";
import { adapterContext, type ChannelDeps } from "../channel-contexts.ts";
import { createAdapter } from "../create-adapter.ts";
import type { Finding } from "./finding.ts";

type CheckChannelsDeps = Omit<ChannelDeps, "channel" | "tenant" | "agent">;

/** Has each channel verify its configuration against its platform. Nothing is started and nothing is sent. */
export const checkChannels = async (config: Config, deps: CheckChannelsDeps): Promise<Finding[]> =>
  (
    await Promise.all(
      Object.entries(config.channels).map(async ([channel, channelConfig]): Promise<Finding[]> => {
        const subject = `channel ${channel}`;
        try {
          const { agent } = channelConfig;
          const context = adapterContext({ ...deps, channel, agent, tenant: tenantOf(config, agent) });
          const adapter = await createAdapter(channelConfig, context);
          if (!isCheckableAdapter(adapter)) return [{ verdict: "ok", subject, text: "needs no platform" }];
          const problems = await adapter.checkLive();
          if (problems.length === 0)
            return [{ verdict: "ok", subject, text: "its platform accepts the configuration" }];
          return problems.map((text) => ({ verdict: "problem", subject, text }));
        } catch (error) {
          return [{ verdict: "problem", subject, text: messageOf(error) }];
        }
      }),
    )
  ).flat();
