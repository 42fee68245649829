import { randomUUID } from "node:crypto";
import { type Config, configFile, envFileOf, loadConfig, referencesOf, secretFilesOf } from "../../config/index.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { silentMeter } from "../../core/contract/ports/telemetry.ts";
import { createModel } from "../../core/model/index.ts";
import { budgetRules } from "../agent-config.ts";
import {
  checkLive,
  deploymentWarnings,
  describeBuiltIn,
  describeRights,
  describeServers,
  describeTools,
  type Finding,
  unlinkedChannels,
} from "../check/index.ts";
import { reportIfForeign } from "../foreign/index.ts";
import { createModerator } from "../moderation/index.ts";
import { publicUrl } from "../public-url.ts";
import { describeAgent, describeBackbone, describeChannels, table } from "./describe-config.ts";
import { exitCode } from "./exit-code.ts";

/** Prints which parts would run; with `live`, also checks that they can. Throws for an invalid configuration. */
export const check = async ({ file, live }: { file: string | undefined; live: boolean }): Promise<number> => {
  const config = await loadConfig({ file });
  const secretFiles = secretFilesOf({ file });
  const rows = [
    ["Address", publicUrl(config.gateway)] as const,
    ...config.agents.map((agent) => ["Agent", describeAgent(agent)] as const),
    ...describeBudgets(config),
    ["Channels", describeChannels(config)] as const,
    ...(config.owner ? [["Owner", `${config.owner.name}: everybody else is kept out`] as const] : []),
    ["Backbone", describeBackbone(config)] as const,
    ...(await describeModeration(config.moderation)),
    ...(secretFiles.length === 0 ? [] : [["Secrets", `from ${secretFiles.join(", ")}`] as const]),
  ];
  process.stdout.write(`\nThe configuration is fine. This would run:\n\n${table(rows)}`);
  for (const agent of config.agents) {
    process.stdout.write(`\nRights with ${agent.name}:\n\n${table(describeRights(config, agent))}`);
  }
  const faults: Finding[] = [];
  for (const agent of config.agents) {
    const { rows: tools, findings } = await describeTools(config, agent, { clock: systemClock });
    const all = [...describeBuiltIn(config, agent), ...tools, ...(await describeServers(config, agent))];
    process.stdout.write(`\nTools of ${agent.name}:\n\n${table(all)}`);
    faults.push(...findings);
  }
  if (faults.length > 0) process.stdout.write(`\nTools that cannot be used:\n\n${table(faults.map(asRow))}`);
  const notes = unlinkedChannels(config);
  if (notes.length > 0) process.stdout.write(`\nGood to know:\n\n${table(notes.map(asRow))}`);
  const warnings = deploymentWarnings(config, { envFile: envFileOf(configFile({ file })), secretFiles });
  if (warnings.length > 0) process.stdout.write(`\nBefore others use it:\n\n${table(warnings.map(asRow))}`);
  if (!live) {
    process.stdout.write(`\nNo service was contacted; add --live for that.\n`);
    return faults.length === 0 ? exitCode.ok : exitCode.problem;
  }
  // An adapter from outside may throw outside of a call; its channel has its own finding.
  process.on("uncaughtException", (error) => {
    if (!reportIfForeign(error)) throw error;
  });
  const findings = await checkLive(config, {
    clock: systemClock,
    newId: randomUUID,
    references: referencesOf({ file }),
  });
  process.stdout.write(`\nLive checks:\n\n${table(findings.map(asRow))}`);
  const problems = [...faults, ...findings].filter(({ verdict }) => verdict === "problem").length;
  process.stdout.write(
    `\n${problems === 0 ? "No problems found." : `${problems} ${problems === 1 ? "problem" : "problems"} to fix.`}\n`,
  );
  return problems === 0 ? exitCode.ok : exitCode.problem;
};

/** Loads a module, so that a wrong one is found before the start. Throws if it cannot be used. */
const describeModeration = async (moderation: Config["moderation"]): Promise<[string, string][]> => {
  if (moderation === undefined) return [];
  await createModerator(moderation, { clock: systemClock, logger: silentLogger, meter: silentMeter });
  const { messages, answers, onFailure, url, module } = moderation;
  const checked = [...(messages ? ["messages"] : []), ...(answers ? ["answers"] : [])].join(" and ") || "nothing";
  return [["Moderation", `${checked} by ${module ?? url}; if it fails: ${onFailure}`]];
};

const asRow = ({ verdict, subject, text, details = [] }: Finding): [string, string] => [
  verdict,
  [`${subject}: ${text}`, ...details.map((line) => `  ${line}`)].join("\n"),
];

type Row = readonly [label: string, text: string];

/** The budgets of agents and tenants, one line per scope, and the models without a price. */
export const describeBudgets = (config: Config): Row[] => [
  ...config.agents.map((agent): Row => ["Budgets", `${agent.name}\n${linesOf(budgetRules(config, agent).ofAgent)}`]),
  ...Object.entries(config.tenants).flatMap(([tenant, { budgets }]): Row[] =>
    Object.keys(budgets).length === 0 ? [] : [["Budgets", `tenant ${tenant}\n${linesOf(budgets)}`]],
  ),
  ...unpriced(config),
];

const linesOf = (budgets: object = {}): string =>
  Object.entries(budgets)
    .map(([scope, limits]) => `  ${scope}: ${textOf(limits as Readonly<Record<string, unknown>>)}`)
    .join("\n");

const textOf = (limits: Readonly<Record<string, unknown>>): string =>
  Object.entries(limits)
    .filter(([name, value]) => value !== undefined && !(name === "unattendedShare" && value === DEFAULT_SHARE))
    .map(([name, value]) => `${name} ${value}`)
    .join(", ") || "no limits";

const DEFAULT_SHARE = 0.9;

/** A limit on cost has no effect for a model without a price. */
const unpriced = (config: Config): Row[] => {
  const isCostLimited = [...config.agents, ...Object.values(config.tenants)].some(({ budgets }) =>
    Object.values(budgets).some((limits) => limits?.costPerDay !== undefined),
  );
  if (!isCostLimited) return [];
  const deps = { clock: systemClock, logger: silentLogger };
  const labels = new Set(
    config.agents.flatMap(({ model, fallbackModels, subtaskModels }) =>
      [model, ...fallbackModels, ...Object.values(subtaskModels)].map((each) => createModel(each, deps).label),
    ),
  );
  const missing = [...labels].filter((label) => config.prices[label] === undefined);
  return missing.length === 0 ? [] : [["Prices", `none for ${missing.join(", ")}, so costPerDay does not limit it`]];
};
