import type { Config } from "../../config/index.ts";
import { describeModel } from "../../core/model/index.ts";

export const describeAgent = ({ name, model }: Config["agents"][number]): string =>
  `${name}, with ${describeModel(model)}`;

export const describeChannels = ({ channels }: Config): string =>
  Object.entries(channels)
    .map(([name, { adapter }]) => (name === adapter ? name : `${name} (${adapter})`))
    .join(", ") || "none";

export const describeBackbone = ({ backbone, dataDir }: Config): string =>
  backbone === "embedded" ? `embedded, in ${dataDir}` : `NATS at ${backbone.nats.servers.join(", ")}`;
