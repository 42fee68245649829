import { Command, CommanderError } from "commander";
import { AppError } from "../../core/contract/app-error.ts";
import type { Role } from "../run-mooring.ts";
import { VERSION } from "../version.ts";
import { exitCode } from "./exit-code.ts";
import { addInit } from "./init/add-init.ts";

/** Runs one command and resolves to the exit code. What a command needs is loaded only when it runs. */
export const runCli = async (args: readonly string[]): Promise<number> => {
  let code: number = exitCode.ok;
  const program = new Command("mooring")
    .description("A chat gateway for one agent: people reach it from the chats they already use.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(mooring --help shows what there is)")
    .exitOverride();

  const runs = (name: string, roles: readonly Role[], description: string) =>
    addConfigOption(program.command(name).description(description)).action(async ({ config }: { config?: string }) => {
      const { runUntilStopped } = await import("./run-until-stopped.ts");
      code = await runUntilStopped({ file: config, roles });
    });
  runs("start", ["gateway", "core"], "run everything in one process; the way to begin");
  runs("gateway", ["gateway"], "run only the channels and the web server; needs the nats backbone");
  runs("core", ["core"], "run only the agents; needs the nats backbone");

  addConfigOption(program.command("check").description("check the configuration and say what would run"))
    .option("--live", "also connect to the backbone, the models and the channels' platforms")
    .action(async ({ config, live = false }: { config?: string; live?: boolean }) => {
      const { check } = await import("./check.ts");
      code = await check({ file: config, live });
    });

  addInit(program);

  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (!(error instanceof AppError)) throw error;
    process.stderr.write(`mooring: ${error.message}\n`);
    return exitCode.problem;
  }
};

const addConfigOption = (command: Command): Command =>
  command
    .option("-c, --config <file>", "the configuration (default: MOORING_CONFIG, else the one that is shipped)")
    .helpOption("-h, --help", "show this help");
