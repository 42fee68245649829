import type { Config } from "../../config/config.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Backbone } from "../../core/contract/backbone.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { type Logger, silentLogger } from "../../core/contract/logger.ts";
import { silentMeter } from "../../core/contract/meter.ts";
import { openBackbone } from "../open-backbone.ts";
import { publicUrl } from "../public-url.ts";
import { checkChannels } from "./check-channels.ts";
import { checkModel } from "./check-model.ts";
import { checkPeers } from "./check-peers.ts";
import { checkPort } from "./check-port.ts";
import { describeDurability } from "./describe-durability.ts";
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
  const findings: Finding[] = [await checkPort(config)];

  let backbone: Backbone | undefined;
  try {
    backbone = await openBackbone(config.backbone, { dataDir: config.dataDir, clock, logger });
    const health = backbone.health();
    if (!health.ok) throw new Error(health.reason);
    findings.push(await describeDurability(config.backbone));
    const url = publicUrl(config.gateway);
    findings.push(
      ...(await checkChannels(config, { backbone, publicUrl: url, clock, logger, meter: silentMeter, newId })),
    );
  } catch (error) {
    findings.push({ verdict: "problem", subject: "backbone", text: messageOf(error) });
    findings.push({ verdict: "note", subject: "channels", text: "not asked, because they need the backbone" });
  } finally {
    await backbone?.close();
  }
  return [...findings, ...(await models), ...(await peers)];
};
