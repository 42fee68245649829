import type { Config } from "../../config/index.ts";
import { describeModel } from "../../core/model/index.ts";
import type { Finding } from "../check/index.ts";
import { LINK_TTL_MINUTES } from "../owner/index.ts";
import type { Role } from "../run-mooring.ts";
import { VERSION } from "../version.ts";

export const describeAgent = ({ name, model, fallbackModels }: Config["agents"][number]): string =>
  `${name}, with ${[model, ...fallbackModels].map(describeModel).join(", else ")}`;

export const describeChannels = ({ channels }: Config): string =>
  Object.entries(channels)
    .map(([name, { adapter }]) => (name === adapter ? name : `${name} (${adapter})`))
    .join(", ") || "none";

export const describeBackbone = ({ backbone, dataDir }: Config): string =>
  backbone === "embedded" ? `embedded, in ${dataDir}` : `NATS at ${backbone.nats.servers.join(", ")}`;

interface GreetingOptions {
  readonly config: Config;
  readonly roles: readonly Role[];
  readonly url?: string;
  readonly healthUrl?: string;
  readonly adminTokenFile?: string;
  readonly ownerLink?: string;
  readonly warnings?: readonly Finding[];
}

/** Printed on standard output once everything runs. */
export const greeting = ({
  config,
  roles,
  url,
  healthUrl,
  adminTokenFile,
  ownerLink,
  warnings = [],
}: GreetingOptions): string => {
  const rows: [string, string][] = [];
  if (url !== undefined) rows.push(["Open", url]);
  if (ownerLink !== undefined) rows.push(["Owner", `${ownerLink}\n${OWNER_HINT}`]);
  if (roles.includes("core"))
    rows.push(...config.agents.map((agent): [string, string] => ["Agent", describeAgent(agent)]));
  if (roles.includes("gateway")) rows.push(["Channels", describeChannels(config)]);
  rows.push(["Backbone", describeBackbone(config)]);
  if (healthUrl !== undefined) rows.push(["Health", healthUrl]);
  if (url !== undefined) rows.push(["Operators", `${url}/console${tokenIn(adminTokenFile)}`]);
  rows.push(...warnings.map(({ subject, text }): [string, string] => ["Warning", `${subject}: ${text}`]));
  return `\nMooring ${VERSION} is running${partOf(roles)}.\n\n${table(rows)}\nCtrl-C stops it.\n`;
};

const OWNER_HINT =
  `Open this once, within ${LINK_TTL_MINUTES} minutes: that browser is then yours. \`mooring owner-link\` prints a new ` +
  "one;\n`mooring chat` on this machine needs none. Everybody else is kept out.";

const tokenIn = (file: string | undefined): string => (file === undefined ? "" : `, their token is in ${file}`);

const partOf = (roles: readonly Role[]): string => (roles.length > 1 ? "" : ` (${roles[0]} only)`);

/** Formats rows with aligned labels on the left; further lines of a text are indented. */
export const table = (rows: readonly (readonly [label: string, text: string])[]): string => {
  const width = Math.max(...rows.map(([label]) => label.length));
  const below = `\n${" ".repeat(width + 4)}`;
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text.replaceAll("\n", below)}\n`).join("");
};
