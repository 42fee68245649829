import type { z } from "zod";
import type { SetupQuestion } from "../contract/setup-question.ts";
import type { AgentModel, ModelDeps } from "./agent-model.ts";

/** The settings that every provider has. */
interface AnyModelConfig {
  readonly provider: string;
  /** Absent for an agent elsewhere, which has its own history. */
  readonly contextTokens?: number;
}

/** A well-known server of a provider, which `mooring init` offers by its own name. */
export interface ModelPreset {
  readonly id: string;
  readonly label: string;
  /** Settings that need no question. */
  readonly settings: Readonly<Record<string, string>>;
  readonly questions: readonly SetupQuestion[];
}

/** A kind of model server: settings, setup questions and client. `core/model/providers/index.ts` lists all of them. */
export interface ModelProvider<Schema extends z.ZodType<AnyModelConfig> = z.ZodType<AnyModelConfig>> {
  /** The value of `provider` in the configuration. */
  readonly id: z.output<Schema>["provider"];
  /** The name under which `mooring init` offers the provider. */
  readonly label: string;
  readonly config: Schema;
  /** Asked by `mooring init`. Without any, the id alone is a configuration. */
  readonly questions: readonly SetupQuestion[];
  /** Offered before the provider itself. */
  readonly presets?: readonly ModelPreset[];
  /** Unsuitable for real users: `mooring check` warns if other machines can reach it. */
  readonly isForTrial?: boolean;
  /** An agent elsewhere answers, with its own prompt and tools. */
  readonly isAgent?: boolean;
  /** For people, after "with". */
  describe(config: z.output<Schema>): string;
  /** Loads no SDK before a model is created. */
  create(config: z.output<Schema>, deps: ModelDeps): AgentModel;
}
