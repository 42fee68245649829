import { AppError } from "../contract/app-error.ts";
import type { AgentModel, ModelDeps } from "./agent-model.ts";
import type { ModelConfig } from "./config.ts";
import type { ModelProvider } from "./provider.ts";
import { providers } from "./providers/index.ts";

export const createModel = (config: ModelConfig, deps: ModelDeps): AgentModel =>
  providerOf(config).create(config, deps);

/** For people, after "with". */
export const describeModel = (config: ModelConfig): string => providerOf(config).describe(config);

/** Whether the model is unsuitable for real users. */
export const isTrialModel = (config: ModelConfig): boolean => providerOf(config).isForTrial === true;

const providerOf = ({ provider: id }: ModelConfig): ModelProvider => {
  const provider = providers.find((each) => each.id === id);
  if (provider === undefined) throw new AppError("bad-configuration", `there is no model provider "${id}"`);
  return provider as ModelProvider;
};
