import { messageOf } from "../../contract/app-error.ts";
import type { SetupQuestion } from "../../contract/setup-question.ts";
import type { AgentModel, ModelDeps, StepOptions } from "../agent-model.ts";
import { ModelFailed } from "../model-failed.ts";
import type { StepRequest, StepResponse } from "../step.ts";
import type { ModelAbilities, SdkModel } from "./ai-sdk-model.ts";
import type { HostedModelConfig } from "./hosted-config.ts";

/** The headers of a request, with their secrets. */
type PlainHeaders = Readonly<Record<string, string>>;

/** A model over HTTP. Loading `ai` and a provider's SDK takes 0.2 s, so `loadSdk` runs only for a configured model. */
export const hostedModel = (
  config: HostedModelConfig,
  deps: ModelDeps,
  loadSdk: (headers: PlainHeaders) => Promise<SdkModel>,
  abilities: ModelAbilities = {},
): AgentModel =>
  new LazyModel({ label: `${config.provider}/${config.model}`, seesImages: config.images }, async () => {
    const { AiSdkModel } = await import("./ai-sdk-model.ts");
    const headers = Object.entries(config.headers).map(([name, value]) => [name, value.reveal()]);
    return new AiSdkModel(config, await loadSdk(Object.fromEntries(headers)), deps, abilities);
  });

export const describeHosted = ({ model, provider }: Pick<HostedModelConfig, "model" | "provider">): string =>
  `${model} (${provider})`;

export const askModelName: SetupQuestion = {
  flag: "model-name",
  message: "Name of the model, as its server lists it",
  setting: ["model"],
};

/** `env` is the name that the provider's own tools use, if it has one. */
export const askApiKey = (message: string, env: string): SetupQuestion => ({
  flag: "model-key",
  message,
  setting: ["apiKey"],
  env,
});

/** A model whose SDK is loaded in the background: start-up does not wait for it, the first step does. */
export class LazyModel implements AgentModel {
  readonly label: string;
  readonly seesImages: boolean;
  readonly #loading: Promise<AgentModel>;

  constructor(
    { label, seesImages = false }: Pick<AgentModel, "label" | "seesImages">,
    load: () => Promise<AgentModel>,
  ) {
    this.label = label;
    this.seesImages = seesImages;
    this.#loading = load();
    // Reported by the step that needs the model.
    this.#loading.catch(() => {});
  }

  async step(request: StepRequest, options: StepOptions): Promise<StepResponse> {
    const model = await this.#loading.catch((error: unknown) => {
      throw new ModelFailed("refused", `could not load ${this.label}: ${messageOf(error)}; install the packages again`);
    });
    return model.step(request, options);
  }
}
