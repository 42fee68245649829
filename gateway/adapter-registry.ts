import type { AdapterContext } from "../adapters/contract/adapter-context.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { ChannelConfig } from "../config/index.ts";

type AdapterKind = ChannelConfig["adapter"];
type AdapterFactory<K extends AdapterKind> = (
  config: Extract<ChannelConfig, { adapter: K }>,
  context: AdapterContext,
) => ChannelAdapter;

/** Every adapter there is. Loaded when a channel uses it, because SDKs cost start-up time. */
const adapters: { readonly [K in AdapterKind]: () => Promise<AdapterFactory<K>> } = {
  discord: async () => {
    const { DiscordAdapter } = await import("../adapters/discord/index.ts");
    return (config, context) => new DiscordAdapter(config, context);
  },
  slack: async () => {
    const { SlackAdapter } = await import("../adapters/slack/index.ts");
    return (config, context) => new SlackAdapter(config, context);
  },
  teams: async () => {
    const { TeamsAdapter } = await import("../adapters/teams/index.ts");
    return (config, context) => new TeamsAdapter(config, context);
  },
  web: async () => {
    const { WebAdapter } = await import("../adapters/web/index.ts");
    return (config, context) => new WebAdapter(config, context);
  },
};

export const createAdapter = async <K extends AdapterKind>(
  config: Extract<ChannelConfig, { adapter: K }> & { adapter: K },
  context: AdapterContext,
): Promise<ChannelAdapter> => {
  const create: AdapterFactory<K> = await adapters[config.adapter]();
  return create(config, context);
};
