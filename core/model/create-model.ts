import { AppError } from "../contract/app-error.ts";
import type { AgentModel, ModelDeps } from "./agent-model.ts";
import type { ModelConfig } from "./config.ts";
import { FallbackModel } from "./fallback-model.ts";
import type { ModelProvider } from "./provider.ts";
import { providers } from "./providers/index.ts";

/** With `fallbacks`, an agent's model in which they are asked, in order, when the first has an outage. */
export const createModel = (
  config: ModelConfig,
  deps: ModelDeps,
  fallbacks: readonly ModelConfig[] = [],
): AgentModel => {
  const models = [config, ...fallbacks].map((each) => providerOf(each).create(each, deps));
  const [only] = models;
  return models.length === 1 && only ? only : new FallbackModel(models, deps.clock);
};

/** For people, after "with". */
export const describeModel = (config: ModelConfig): string => providerOf(config).describe(config);

/** Whether the model is unsuitable for real users. */
export const isTrialModel = (config: ModelConfig): boolean => providerOf(config).isForTrial === true;

/** Whether an agent elsewhere answers, so that the prompt and the tools of ours are not used. */
export const isAgentElsewhere = (config: ModelConfig): boolean => providerOf(config).isAgent === true;

const providerOf = ({ provider: id }: ModelConfig): ModelProvider => {
  const provider = providers.find((each) => each.id === id);
  if (provider === undefined) throw new AppError("bad-configuration", `there is no model provider "${id}"`);
  return provider as ModelProvider;
};
