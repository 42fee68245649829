import type { Config } from "../../config/config.ts";
import { openBackbone } from "../../core/backbone/index.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Backbone } from "../../core/contract/backbone.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { type Logger, silentLogger } from "../../core/contract/logger.ts";
import { silentMeter } from "../../core/contract/meter.ts";
import { publicUrl } from "../public-url.ts";
import { checkChannels } from "./check-channels.ts";
import { checkModel } from "./check-model.ts";
import { checkNats } from "./check-nats.ts";
import { checkPeers } from "./check-peers.ts";
import { checkPort } from "./check-port.ts";
import type { Finding } from "./finding.ts";

export interface CheckLiveParts {
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly newId: () => string;
}

/** Talks to everything that the configuration names, and starts nothing. */
export const checkLive = async (config: Config, parts: CheckLiveParts): Promise<Finding[]> => {
  const { clock, logger = silentLogger, newId } = parts;
  const models = Promise.all(config.agents.map((agent) => checkModel(agent, { clock, logger })));
  const peers = checkPeers(config);
  const port = await checkPort(config);
  const backbone = await checkBackbone(config, { clock, logger, newId });
  return [port, ...backbone, ...(await models), ...(await peers)];
};

/** The backbone, and the channels, which need it. */
const checkBackbone = async (config: Config, parts: Required<CheckLiveParts>): Promise<Finding[]> => {
  const { clock, logger } = parts;
  const findings: Finding[] = [];
  let backbone: Backbone | undefined;
  try {
    if (config.backbone !== "embedded") findings.push(...(await checkNats(config.backbone)));
    if (findings.some(({ verdict }) => verdict === "problem")) return [...findings, CHANNELS_NOT_ASKED];
    backbone = await openBackbone(config.backbone, { dataDir: config.dataDir, clock, logger });
    const health = backbone.health();
    if (!health.ok) throw new Error(health.reason);
    if (config.backbone === "embedded") findings.push(EMBEDDED);
    const url = publicUrl(config.gateway);
    return [...findings, ...(await checkChannels(config, { ...parts, backbone, publicUrl: url, meter: silentMeter }))];
  } catch (error) {
    return [...findings, { verdict: "problem", subject: "backbone", text: messageOf(error) }, CHANNELS_NOT_ASKED];
  } finally {
    await backbone?.close();
  }
};

const EMBEDDED: Finding = {
  verdict: "ok",
  subject: "backbone",
  text: "embedded; durability power-loss: every write is synced to disk",
};
const CHANNELS_NOT_ASKED: Finding = {
  verdict: "note",
  subject: "channels",
  text: "not asked, because they need the backbone",
};
