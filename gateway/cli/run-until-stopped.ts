import { randomUUID } from "node:crypto";
import { openConfigFile } from "../../config/file/index.ts";
import { configFile, envFileOf, loadConfig, secretFilesOf } from "../../config/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { toolModuleOf } from "../../core/tools/index.ts";
import { deploymentWarnings } from "../check/index.ts";
import { reportIfForeign } from "../foreign/index.ts";
import { type Role, runMooring } from "../run-mooring.ts";
import { createLogger, LogTail, standardError } from "../telemetry/index.ts";
import { greeting } from "./describe-config.ts";
import { exitCode } from "./exit-code.ts";

type StopSignal = keyof typeof exitCode.interrupted;

/**
 * Runs until SIGINT or SIGTERM, then stops in order. A second signal ends the process at once. SIGHUP reloads the
 * configuration, except in a terminal, where it means that the terminal was closed.
 */
export const runUntilStopped = async (options: {
  file: string | undefined;
  roles: readonly Role[];
}): Promise<number> => {
  const config = await loadConfig({ file: options.file });
  const secretFiles = secretFilesOf({ file: options.file });
  const logTail = new LogTail();
  const logger = createLogger(config.logLevel, logTail.through(standardError()));
  exitOnUncaughtError(logger, config.adapters.modules);

  const asked = new AbortController();
  const hangup = hangupSignal();
  const stopped = stopSignal(asked);
  try {
    const running = await runMooring({
      config,
      roles: options.roles,
      clock: systemClock,
      logger,
      newId: randomUUID,
      logTail,
      configFile: openConfigFile(options),
      abortStart: asked.signal,
      readConfig: () => loadConfig({ file: options.file }),
      setLogLevel: (level) => logger.setLevel(level),
      onPartLost: (error) => {
        logger.error({ error: error.message }, "part lost in a reload, process exits");
        process.exit(exitCode.problem);
      },
    });
    // A failed reload is logged and changes nothing.
    hangup.onEach(() => void running.reload().catch(() => undefined));
    const isGateway = options.roles.includes("gateway");
    const warnings = deploymentWarnings(config, { envFile: envFileOf(configFile(options)), secretFiles, isGateway });
    for (const { subject, text } of warnings) logger.warn({ subject, advice: text }, "deployment warning");
    const wasServing = !asked.signal.aborted;
    process.stdout.write(greeting({ config, roles: options.roles, ...running, warnings }));
    const signal = await stopped;
    process.stdout.write(`\n${signal}: finishing work in progress (send it again to stop at once) …\n`);
    // Only supervisors send SIGTERM; after Ctrl-C in a terminal no load balancer needs time to react.
    await running.stop({ drain: signal === "SIGTERM" && wasServing });
    process.stdout.write("Stopped.\n");
  } catch (error) {
    if (!(error instanceof AppError && error.code === "stopped" && asked.signal.aborted)) throw error;
  }
  // An SDK may still hold handles open.
  process.exit(exitCode.ok);
};

const isTerminal = (): boolean => process.stdin.isTTY === true;

/** Calls back for each SIGHUP. A signal during the start is remembered, because by default it would end the process. */
const hangupSignal = (): { onEach(reload: () => void): void } => {
  let isMissed = false;
  let call = () => {
    isMissed = true;
  };
  if (!isTerminal()) process.on("SIGHUP", () => call());
  return {
    onEach: (reload) => {
      call = reload;
      if (isMissed) reload();
    },
  };
};

const stopSignal = (asked: AbortController): Promise<StopSignal> =>
  new Promise((resolve) => {
    const signals = isTerminal() ? (["SIGINT", "SIGTERM", "SIGHUP"] as const) : (["SIGINT", "SIGTERM"] as const);
    for (const signal of signals) {
      process.on(signal, () => {
        if (asked.signal.aborted) process.exit(exitCode.interrupted[signal]);
        asked.abort();
        resolve(signal);
      });
    }
  });

/**
 * Exits, because the state is unknown; stored work continues after a restart. Covers unhandled rejections. An error of an
 * adapter from outside degrades its channel only (U6), and one of a module with tools is reported only.
 */
const exitOnUncaughtError = (logger: Logger, modules: readonly string[]): void => {
  process.on("uncaughtException", (error, origin) => {
    if (reportIfForeign(error, modules)) return;
    const module = toolModuleOf(error);
    if (module !== undefined) {
      logger.error({ error, module }, "uncaught error of a tool module");
      return;
    }
    logger.error({ error, origin }, "uncaught error, process exits");
    process.exit(exitCode.problem);
  });
};
