import { randomUUID } from "node:crypto";
import { configFile, envFileOf, loadConfig } from "../../config/index.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import { checkLive, deploymentWarnings, describeRights, type Finding } from "../check/index.ts";
import { publicUrl } from "../public-url.ts";
import { describeBudgets } from "./describe-budgets.ts";
import { describeAgent, describeBackbone, describeChannels, table } from "./describe-config.ts";
import { exitCode } from "./exit-code.ts";

/** Prints which parts would run; with `live`, also checks that they can. Throws for an invalid configuration. */
export const check = async ({ file, live }: { file: string | undefined; live: boolean }): Promise<number> => {
  const config = loadConfig({ file });
  const rows = [
    ["Address", publicUrl(config.gateway)] as const,
    ...config.agents.map((agent) => ["Agent", describeAgent(agent)] as const),
    ...describeBudgets(config),
    ["Channels", describeChannels(config)] as const,
    ["Backbone", describeBackbone(config)] as const,
  ];
  process.stdout.write(`\nThe configuration is fine. This would run:\n\n${table(rows)}`);
  for (const agent of config.agents) {
    process.stdout.write(`\nRights with ${agent.name}:\n\n${table(describeRights(config, agent))}`);
  }
  const warnings = deploymentWarnings(config, { envFile: envFileOf(configFile({ file })) });
  if (warnings.length > 0) process.stdout.write(`\nBefore others use it:\n\n${table(warnings.map(asRow))}`);
  if (!live) {
    process.stdout.write(`\nNo service was contacted; add --live for that.\n`);
    return exitCode.ok;
  }
  const findings = await checkLive(config, { clock: systemClock, newId: randomUUID });
  process.stdout.write(`\nLive checks:\n\n${table(findings.map(asRow))}`);
  const problems = findings.filter(({ verdict }) => verdict === "problem").length;
  process.stdout.write(
    `\n${problems === 0 ? "No problems found." : `${problems} ${problems === 1 ? "problem" : "problems"} to fix.`}\n`,
  );
  return problems === 0 ? exitCode.ok : exitCode.problem;
};

const asRow = ({ verdict, subject, text, details = [] }: Finding): [string, string] => [
  verdict,
  [`${subject}: ${text}`, ...details.map((line) => `  ${line}`)].join("\n"),
];
