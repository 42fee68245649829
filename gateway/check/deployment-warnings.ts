import { statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/index.ts";
import { isAgentElsewhere, isTrialModel } from "../../core/model/index.ts";
import { isLoopbackName } from "../http/index.ts";
import { hasUnusableWorkspace } from "./describe-rights.ts";
import type { Finding } from "./finding.ts";

interface WarningOptions {
  /** Contains secrets; the file need not exist. */
  readonly envFile: string;
  /** The files that values of the configuration come from. */
  readonly secretFiles?: readonly string[];
  /** Container runtimes mount secrets here, readable by every user of a container, which has only one. */
  readonly mountedSecrets?: string;
  /** False: this process serves no channels. */
  readonly isGateway?: boolean;
}

/** Settings and file modes that are fine for trying Mooring out and unsafe in production. Nothing is contacted. */
export const deploymentWarnings = (
  config: Config,
  { envFile, secretFiles = [], mountedSecrets = "/run/secrets/", isGateway = true }: WarningOptions,
): Finding[] => [
  ...(isGateway ? [...demoModel(config), ...undeclaredProxy(config)] : []),
  ...config.agents.filter((agent) => hasUnusableWorkspace(config, agent)).map(unusableWorkspace),
  ...config.agents.flatMap(unusedSettings),
  ...readableByOthers("data folder", config.dataDir, "700"),
  ...readableByOthers("data folder", join(config.dataDir, "admin-token"), "600"),
  ...(config.owner ? readableByOthers("data folder", join(config.dataDir, "owner-secret"), "600") : []),
  ...readableByOthers("secrets", envFile, "600"),
  ...secretFiles
    .filter((file) => !file.startsWith(mountedSecrets))
    .flatMap((file) => readableByOthers("secrets", file, "640", ANY_OTHER_USER)),
];

const GROUP_OR_OTHERS = 0o077;
/** A group is the usual way to give a service its secrets. */
const ANY_OTHER_USER = 0o007;

const unusableWorkspace = ({ name }: Config["agents"][number]): Finding =>
  warning(
    "workspace",
    `no speaker may use the repository of ${name}: grant workspace in its rights, e.g. member: [default, workspace]`,
  );

/** An agent elsewhere has its own prompt and tools, so these settings of ours do nothing. */
const unusedSettings = (agent: Config["agents"][number]): Finding[] => {
  const { name, model, directives, tools, mcpServers, peers, workspace, fetchUrl } = agent;
  if (!isAgentElsewhere(model)) return [];
  const unused = {
    directives: directives !== undefined && directives.trim() !== "",
    tools: tools.length > 0,
    mcpServers: Object.keys(mcpServers).length > 0,
    "fetchUrl.hosts": fetchUrl.hosts.length > 0,
    peers: peers.length > 0,
    workspace: workspace !== undefined,
  };
  const names = Object.entries(unused).flatMap(([setting, isSet]) => (isSet ? [setting] : []));
  if (names.length === 0) return [];
  const text = `${names.join(", ")} of ${name} ${names.length === 1 ? "has" : "have"} no effect, because an agent elsewhere answers`;
  return [warning("agent elsewhere", `${text}: configure them there, and remove them here`)];
};

const demoModel = ({ gateway: { host, publicUrl }, agents }: Config): Finding[] => {
  const names = agents.filter(({ model }) => isTrialModel(model)).map(({ name }) => name);
  const isLocal = isLoopbackName(host) && (publicUrl === undefined || isLoopbackName(new URL(publicUrl).host));
  if (names.length === 0 || isLocal) return [];
  return [
    warning(
      "demo model",
      `${names.join(", ")} uses it and can be reached from other machines: configure a model, ` +
        "or set gateway.host to 127.0.0.1 and no publicUrl",
    ),
  ];
};

/** Mooring serves plain HTTP, and other machines cannot reach loopback, so such a public address implies a proxy. */
const undeclaredProxy = ({ gateway: { host, publicUrl, trustedProxies } }: Config): Finding[] => {
  if (publicUrl === undefined || trustedProxies.length > 0) return [];
  const { protocol, host: publicHost } = new URL(publicUrl);
  const isProxied = protocol === "https:" || (isLoopbackName(host) && !isLoopbackName(publicHost));
  if (!isProxied) return [];
  const address = isLoopbackName(host) ? '["127.0.0.1"]' : "its address";
  return [
    warning(
      "proxy",
      `people reach ${publicUrl} through a proxy that is not declared, so they would share the limits of one address: ` +
        `set gateway.trustedProxies to ${address}`,
    ),
  ];
};

const readableByOthers = (subject: string, path: string, mode: string, others = GROUP_OR_OTHERS): Finding[] => {
  // Windows has no such file modes.
  const stat = process.platform === "win32" ? undefined : statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & others) === 0) return [];
  const found = (stat.mode & 0o777).toString(8);
  return [warning(subject, `other users of this machine may read ${path} (mode ${found}): chmod ${mode} ${path}`)];
};

const warning = (subject: string, text: string): Finding => ({ verdict: "warning", subject, text });
