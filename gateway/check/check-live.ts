import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isCheckableAdapter } from "../../adapters/contract/abilities.ts";
import type { Config } from "../../config/index.ts";
import { agentToCheck } from "../../core/a2a/agent-model/index.ts";
import { probePeer } from "../../core/a2a/index.ts";
import { openBackbone } from "../../core/backbone/index.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import { type Logger, silentLogger } from "../../core/contract/ports/logger.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { silentMeter } from "../../core/contract/ports/telemetry.ts";
import { withinDeadline } from "../../core/lib/index.ts";
import { createModel, type ModelDeps, ModelFailed } from "../../core/model/index.ts";
import { tenantOf } from "../agent-config.ts";
import { adapterContext, type ChannelDeps } from "../channel-contexts.ts";
import { createAdapter } from "../foreign/index.ts";
import { createReadiness, openHttpListener } from "../http/index.ts";
import { publicUrl } from "../public-url.ts";
import { checkNats } from "./check-nats.ts";
import { checkServers } from "./check-servers.ts";
import type { Finding } from "./finding.ts";

interface CheckLiveDeps {
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly newId: () => string;
  /** The references of the configuration file by path, to name the variable of a refused key. */
  readonly references?: ReadonlyMap<string, string>;
}

/** Contacts everything that the configuration names, and starts nothing. */
export const checkLive = async (config: Config, deps: CheckLiveDeps): Promise<Finding[]> => {
  const { clock, logger = silentLogger, newId } = deps;
  const { references = new Map<string, string>() } = deps;
  const models = Promise.all(
    config.agents.flatMap((agent, index) =>
      modelsOf(agent, `agents[${index}]`).map(({ model, path }) =>
        checkModel(agent, model, { clock, logger, path, references }),
      ),
    ),
  );
  const peers = checkPeers(config);
  let offerStore: (store: Store | undefined) => void = () => {};
  const store = new Promise<Store | undefined>((resolve) => {
    offerStore = resolve;
  });
  const servers = checkServers(config, store);
  const port = await checkPort(config);
  const backbone = await checkBackbone(
    config,
    { clock, logger, newId, references },
    { offerStore, untilUsed: servers },
  );
  return [port, ...backbone, ...(await models), ...(await peers), ...(await servers)];
};

interface StoreUse {
  /** The first call counts; undefined: there is no store to use. */
  readonly offerStore: (store: Store | undefined) => void;
  readonly untilUsed: Promise<unknown>;
}

/** Checks the backbone, then the channels, which need it. */
const checkBackbone = async (
  config: Config,
  deps: Required<CheckLiveDeps>,
  { offerStore, untilUsed }: StoreUse,
): Promise<Finding[]> => {
  const findings: Finding[] = [];
  let opened: OpenedBackbone | undefined;
  try {
    if (config.backbone !== "embedded") findings.push(...(await checkNats(config.backbone)));
    if (findings.some(({ verdict }) => verdict === "problem")) return [...findings, CHANNELS_NOT_CHECKED];
    opened = await openForCheck(config, deps);
    const { backbone, inUse } = opened;
    const health = backbone.health();
    if (!health.ok) throw new Error(health.reason);
    if (inUse === undefined) offerStore(backbone.store);
    if (config.backbone === "embedded") findings.push(inUse ?? EMBEDDED);
    const url = publicUrl(config.gateway);
    return [...findings, ...(await checkChannels(config, { ...deps, backbone, publicUrl: url, meter: silentMeter }))];
  } catch (error) {
    return [...findings, { verdict: "problem", subject: "backbone", text: messageOf(error) }, CHANNELS_NOT_CHECKED];
  } finally {
    offerStore(undefined);
    await untilUsed;
    await opened?.close();
  }
};

interface OpenedBackbone {
  readonly backbone: Backbone;
  /** Another process has the data. */
  readonly inUse?: Finding;
  close(): Promise<void>;
}

/** Opens the backbone, or an empty one for the checks of the channels while another process uses the data. */
const openForCheck = async (config: Config, deps: Pick<CheckLiveDeps, "clock"> & { logger: Logger }) => {
  const open = (dataDir: string) => openBackbone(config.backbone, { dataDir, ...deps });
  try {
    const backbone = await open(config.dataDir);
    return { backbone, close: () => backbone.close() };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "data-in-use") throw error;
    const folder = await mkdtemp(join(tmpdir(), "mooring-check-"));
    const backbone = await open(folder);
    const text = `${messageOf(error)} (fine if that is Mooring itself)`;
    return {
      ...{ backbone, inUse: { verdict: "note", subject: "backbone", text } as const },
      async close() {
        await backbone.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  }
};

const EMBEDDED: Finding = {
  verdict: "ok",
  subject: "backbone",
  text: "embedded; durability power-loss: every write is synced to disk",
};
const CHANNELS_NOT_CHECKED: Finding = {
  verdict: "note",
  subject: "channels",
  text: "not checked, because they need the backbone",
};

const MODEL_TIMEOUT_MS = 30_000;

type Agent = Config["agents"][number];

/** All models of an agent, with their paths in the configuration. */
const modelsOf = (agent: Agent, path: string): { model: Agent["model"]; path: string }[] => [
  { model: agent.model, path: `${path}.model` },
  ...agent.fallbackModels.map((model, index) => ({ model, path: `${path}.fallbackModels[${index}]` })),
  ...Object.entries(agent.subtaskModels).map(([name, model]) => ({ model, path: `${path}.subtaskModels.${name}` })),
];

interface CheckModelDeps extends ModelDeps {
  readonly path: string;
  readonly references: ReadonlyMap<string, string>;
}

/** The setting of the credentials that a model server refused, and where its value comes from. */
const keyOf = (model: Agent["model"], { path, references }: CheckModelDeps): string => {
  const name = (["apiKey", "token"] as const).find((key) => key in model && Reflect.get(model, key) !== undefined);
  if (name === undefined) return `${path} has no apiKey`;
  const reference = references.get(`${path}.${name}`);
  return `${path}.${name}${reference === undefined ? "" : `, which is ${reference}`}`;
};

/** Asks a model of the agent for one word: only a real answer proves address, key and model name at once. */
export const checkModel = async (
  agent: Pick<Agent, "name" | "tenant">,
  settings: Agent["model"],
  deps: CheckModelDeps,
): Promise<Finding> => {
  const subject = `model of ${agent.name}`;
  try {
    const ref = { tenant: agent.tenant, agent: agent.name };
    const model = createModel(settings, {
      ...deps,
      connectAgent: (endpoint, label) => agentToCheck(ref, endpoint, label),
    });
    if (model.probe !== undefined) {
      await model.probe(AbortSignal.timeout(MODEL_TIMEOUT_MS));
      return { verdict: "ok", subject, text: `the card of ${model.label} is valid, and it accepts the credentials` };
    }
    await model.step(
      { system: "", messages: [{ role: "user", text: "Answer with the word OK." }], tools: [], toolChoice: "none" },
      { signal: AbortSignal.timeout(MODEL_TIMEOUT_MS), onText: () => undefined },
    );
    return { verdict: "ok", subject, text: `${model.label} answers` };
  } catch (error) {
    const isKey = error instanceof ModelFailed && error.reason === "credentials";
    return {
      verdict: "problem",
      subject,
      text: messageOf(error),
      details: [isKey ? `the key: ${keyOf(settings, deps)}` : `the setting: ${deps.path}`],
    };
  }
};

const PEER_TIMEOUT_MS = 15_000;

/** Checks the card and the credentials of every remote agent. It starts no work there. */
export const checkPeers = async ({ a2a }: Config): Promise<Finding[]> =>
  Promise.all(
    Object.entries(a2a.peers).map(async ([name, peer]): Promise<Finding> => {
      const subject = `peer ${name}`;
      try {
        await probePeer({ name, ...peer }, AbortSignal.timeout(PEER_TIMEOUT_MS));
        return { verdict: "ok", subject, text: "its card is valid, and it accepts the credentials" };
      } catch (error) {
        return { verdict: "problem", subject, text: messageOf(error) };
      }
    }),
  );

/** A port in use is only a note, because a running Mooring may use it. */
const checkPort = async ({ gateway }: Config): Promise<Finding> => {
  const subject = "port";
  try {
    const listener = await openHttpListener(gateway, createReadiness());
    await listener.close();
    return { verdict: "ok", subject, text: `${gateway.host}:${gateway.port} is free` };
  } catch (error) {
    return { verdict: "note", subject, text: `${messageOf(error)} (fine if that is Mooring itself)` };
  }
};

const NO_PLATFORM = "needs no platform";
const NO_LIVE_CHECK = "was created; its adapter cannot check it against the platform";
const CHANNEL_TIMEOUT_MS = 60_000;

type CheckChannelsDeps = Omit<ChannelDeps, "channel" | "tenant" | "agent">;

/** Has each channel verify its configuration against its platform. Nothing is started and nothing is sent. */
const checkChannels = async (config: Config, deps: CheckChannelsDeps): Promise<Finding[]> =>
  (
    await Promise.all(
      Object.entries(config.channels).map(async ([channel, channelConfig]): Promise<Finding[]> => {
        const subject = `channel ${channel}`;
        try {
          const { agent } = channelConfig;
          const context = adapterContext({ ...deps, channel, agent, tenant: tenantOf(config, agent) });
          const adapter = await createAdapter(config.adapters, channelConfig, context);
          if (!isCheckableAdapter(adapter)) {
            const isForeign = config.adapters.get(channelConfig.adapter)?.module !== undefined;
            return [
              isForeign
                ? { verdict: "note", subject, text: NO_LIVE_CHECK }
                : { verdict: "ok", subject, text: NO_PLATFORM },
            ];
          }
          const problems = await withinDeadline(deps.clock, CHANNEL_TIMEOUT_MS, adapter.checkLive(), () => [
            `no answer within ${CHANNEL_TIMEOUT_MS / 1_000} s`,
          ]);
          if (problems.length === 0)
            return [{ verdict: "ok", subject, text: "its platform accepts the configuration" }];
          return problems.map((text) => ({ verdict: "problem", subject, text }));
        } catch (error) {
          return [{ verdict: "problem", subject, text: messageOf(error) }];
        }
      }),
    )
  ).flat();
