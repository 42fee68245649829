import type { z } from "zod";
import type { SetupQuestion } from "../../core/contract/setup-question.ts";
import type { AdapterContext } from "./adapter-context.ts";
import type { ChannelAdapter } from "./channel-adapter.ts";

type Schema = z.ZodType<{ readonly adapter: string }>;

/** The index of an adapter's folder: settings, setup questions and class. `adapters/adapter-list.ts` lists all of them. */
export interface AdapterDefinition<Config extends Schema = Schema> {
  /** The value of `adapter` in the configuration. */
  readonly id: z.output<Config>["adapter"];
  /** Shown as a choice by `mooring init`. */
  readonly label: string;
  readonly config: Config;
  /** Asked by `mooring init`. */
  readonly questions: readonly SetupQuestion[];
  /** The page that explains the setup on the platform. */
  readonly guide?: string;
  /** The classes of people that can write on such a channel (R1); absent: members only. */
  speakers?(config: z.output<Config>): readonly ("anonymous" | "member")[];
  /** Loads the adapter and its SDK, which cost start-up time. */
  create(config: z.output<Config>, context: AdapterContext): Promise<ChannelAdapter>;
}
