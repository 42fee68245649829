import type { z } from "zod";
import type { SetupQuestion } from "../../core/contract/setup-question.ts";
import type { AdapterContext } from "./adapter-context.ts";
import type { ChannelAdapter } from "./channel-adapter.ts";

type Schema = z.ZodType<{ readonly adapter: string; readonly agent?: string | undefined }>;

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
  /**
   * The owner's account, and the room of their conversation, on a channel that recognises the owner of a personal
   * deployment by the owner secret (I1); absent: the configuration names the account.
   */
  readonly ownerAccount?: string;
  /** Loads the adapter and its SDK, which cost start-up time. */
  create(config: z.output<Config>, context: AdapterContext): Promise<ChannelAdapter>;
}

/** The version of the adapter contract. An adapter of another version is refused when its module is loaded. */
export const ADAPTER_CONTRACT = 1;

/** An adapter outside of the tree: the default export of its module. */
export interface ForeignAdapterDefinition<Config extends Schema = Schema> extends AdapterDefinition<Config> {
  readonly contract: typeof ADAPTER_CONTRACT;
}

/** Defines an adapter and infers the type of its settings. */
export const defineAdapter = <Config extends Schema>(
  definition: ForeignAdapterDefinition<Config>,
): ForeignAdapterDefinition<Config> => definition;
