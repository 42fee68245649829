import { adapters } from "../adapters/adapter-list.ts";
import type { AdapterContext } from "../adapters/contract/adapter-context.ts";
import type { AdapterDefinition } from "../adapters/contract/adapter-definition.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { ChannelConfig } from "../config/index.ts";
import { AppError } from "../core/contract/app-error.ts";

export const createAdapter = async (config: ChannelConfig, context: AdapterContext): Promise<ChannelAdapter> => {
  const found = adapters.find(({ id }) => id === config.adapter);
  if (found === undefined) throw new AppError("bad-configuration", `unknown adapter "${config.adapter}"`);
  return (found as AdapterDefinition).create(config, context);
};
