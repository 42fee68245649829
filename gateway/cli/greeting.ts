import type { Config } from "../../config/index.ts";
import type { Finding } from "../check/index.ts";
import type { Role } from "../run-mooring.ts";
import { VERSION } from "../version.ts";
import { describeAgent, describeBackbone, describeChannels } from "./describe-config.ts";
import { table } from "./table.ts";

export interface GreetingOptions {
  readonly config: Config;
  readonly roles: readonly Role[];
  readonly url?: string;
  readonly healthUrl?: string;
  readonly adminTokenFile?: string;
  readonly warnings?: readonly Finding[];
}

/** Printed on standard output once everything runs. */
export const greeting = ({ config, roles, url, healthUrl, adminTokenFile, warnings = [] }: GreetingOptions): string => {
  const rows: [string, string][] = [];
  if (url !== undefined) rows.push(["Open", url]);
  if (roles.includes("core"))
    rows.push(...config.agents.map((agent): [string, string] => ["Agent", describeAgent(agent)]));
  if (roles.includes("gateway")) rows.push(["Channels", describeChannels(config)]);
  rows.push(["Backbone", describeBackbone(config)]);
  if (healthUrl !== undefined) rows.push(["Health", healthUrl]);
  if (url !== undefined) rows.push(["Operators", `${url}/console${tokenIn(adminTokenFile)}`]);
  rows.push(...warnings.map(({ subject, text }): [string, string] => ["Warning", `${subject}: ${text}`]));
  return `\nMooring ${VERSION} is running${partOf(roles)}.\n\n${table(rows)}\nCtrl-C stops it.\n`;
};

const tokenIn = (file: string | undefined): string => (file === undefined ? "" : `, their token is in ${file}`);

const partOf = (roles: readonly Role[]): string => (roles.length > 1 ? "" : ` (${roles[0]} only)`);
