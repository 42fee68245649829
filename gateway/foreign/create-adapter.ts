import type { AdapterContext } from "../../adapters/contract/adapter-context.ts";
import type { AdapterDefinition } from "../../adapters/contract/adapter-definition.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { AvailableAdapter, ChannelConfig, Config } from "../../config/index.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { withinDeadline } from "../../core/lib/index.ts";
import { adapterProblem } from "./adapter-shape.ts";
import { failedAdapter } from "./failed-adapter.ts";
import { runForeign, runOwn } from "./foreign-code.ts";
import { GuardedAdapter } from "./guard-adapter.ts";

/** The adapter of a channel. One from outside is checked and guarded; a rejection says why it cannot run. */
export const createAdapter = async (
  adapters: Config["adapters"],
  config: ChannelConfig,
  context: AdapterContext,
): Promise<ChannelAdapter> => {
  const found = adapters.get(config.adapter);
  if (found === undefined) throw new AppError("bad-configuration", `unknown adapter "${config.adapter}"`);
  const { module } = found;
  return module === undefined
    ? found.definition.create(config, context)
    : createForeign({ ...found, module }, config, context);
};

/** As `createAdapter`, but an adapter from outside that cannot be created degrades its channel only (U6). */
export const createAdapterOrFail = async (
  adapters: Config["adapters"],
  config: ChannelConfig,
  context: AdapterContext,
): Promise<ChannelAdapter> => {
  try {
    return await createAdapter(adapters, config, context);
  } catch (error) {
    if (adapters.get(config.adapter)?.module === undefined) throw error;
    const { channel, logger } = context;
    const reason = `the adapter could not be created: ${messageOf(error)}`;
    logger.error({ channel, error: messageOf(error) }, "adapter could not be created, channel is degraded");
    return failedAdapter(channel, reason);
  }
};

/** An adapter loads its SDK and connects in `start`, so `create` is quick. */
const CREATE_WITHIN_MS = 30_000;

const createForeign = async (
  { definition, module }: AvailableAdapter & { readonly module: string },
  config: ChannelConfig,
  context: AdapterContext,
): Promise<ChannelAdapter> => {
  const { channel, clock, logger } = context;
  const guard = new GuardedAdapter(channel, { module, clock, logger });
  // The schema of the adapter expects its id, not the path or package of the file.
  const settings = { ...config, adapter: definition.id };
  const created = await withinDeadline<unknown>(
    clock,
    CREATE_WITHIN_MS,
    runForeign(guard, async () => definition.create(settings, ownPorts(context))),
    () => {
      throw new AppError("unavailable", `not created within ${CREATE_WITHIN_MS / 1_000} s`);
    },
  );
  const problem = adapterProblem(created, channel);
  if (problem !== undefined) throw new AppError("bad-configuration", problem);
  return guard.wrap(created as ChannelAdapter);
};

/** The ports are code of Mooring: an error in them must not count as one of the adapter. */
const ownPorts = (context: AdapterContext): AdapterContext => {
  const { store } = context;
  const own: Store = {
    ...(store.exclusive !== undefined && { exclusive: store.exclusive }),
    get: (key, known) => runOwn(() => store.get(key, known)),
    put: (key, value, options) => runOwn(() => store.put(key, value, options)),
    delete: (key, options) => runOwn(() => store.delete(key, options)),
    list: (prefix) => store.list(prefix),
  };
  return {
    ...context,
    store: own,
    signal: (signal) => runOwn(() => context.signal(signal)),
    sessionOf: (conversation, isNew) => runOwn(() => context.sessionOf(conversation, isNew)),
  };
};

/** The classes of people that can write on a channel, as its adapter defines them. */
export const speakersOn = (
  adapters: Config["adapters"],
  config: ChannelConfig,
): readonly ("anonymous" | "member")[] => {
  const found: AdapterDefinition | undefined = adapters.get(config.adapter)?.definition;
  try {
    return found?.speakers?.({ ...config, adapter: found.id }) ?? ["member"];
  } catch {
    // An adapter from outside failed; anonymous people have the fewest rights.
    return ["anonymous", "member"];
  }
};
