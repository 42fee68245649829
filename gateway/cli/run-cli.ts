import { Command, CommanderError, InvalidArgumentError } from "commander";
import { AppError } from "../../core/contract/app-error.ts";
import type { Role } from "../run-mooring.ts";
import { VERSION } from "../version.ts";
import { exitCode } from "./exit-code.ts";
import { addInit } from "./init/add-init.ts";

/** Runs one command and resolves to the exit code. A command loads its modules only when it runs. */
export const runCli = async (args: readonly string[]): Promise<number> => {
  let code: number = exitCode.ok;
  let isServer = false;
  // The reader of the output may end early, as `| head` does: a server continues, any other command ends.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (!isServer) process.exit(exitCode.ok);
  });
  const program = new Command("mooring")
    .description("A chat gateway for agents: people reach them from the chats they already use.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(mooring --help lists the commands)")
    .exitOverride();

  const runs = (name: string, roles: readonly Role[], description: string) =>
    addConfigOption(program.command(name).description(description)).action(async ({ config }: { config?: string }) => {
      isServer = true;
      const { runUntilStopped } = await import("./run-until-stopped.ts");
      code = await runUntilStopped({ file: config, roles });
    });
  runs("start", ["gateway", "core"], "run gateway and core in one process; start here");
  runs("gateway", ["gateway"], "run only the channels and the web server; needs the nats backbone");
  runs("core", ["core"], "run only the agents; needs the nats backbone");

  addConfigOption(program.command("check").description("check the configuration and show what would run"))
    .option("--live", "also connect to the backbone, the models and the channels' platforms")
    .action(async ({ config, live = false }: { config?: string; live?: boolean }) => {
      const { check } = await import("./check.ts");
      code = await check({ file: config, live });
    });

  try {
    await addInit(program, args);
  } catch (error) {
    return problem(error);
  }

  addConfigOption(
    program
      .command("schema")
      .description("print the JSON schema of the configuration, with the adapters that it names"),
  ).action(async ({ config }: { config?: string }) => {
    const { loadSchema } = await import("../../config/index.ts");
    process.stdout.write(`${JSON.stringify(await loadSchema({ file: config }), null, 2)}\n`);
  });

  addConfigOption(program.command("chat").description("talk to a running gateway from the terminal or a script"))
    .option("--url <address>", "the gateway's address (default: the configuration's)")
    .option("--channel <name>", "the channel to use; it must have the web adapter", "cli")
    .option("--new", "start a new conversation as a new visitor")
    .option("--wait <seconds>", "how long a script waits for its answers", wholeNumber, 120)
    .action(async ({ config, url, channel, new: startNew = false, wait }: ChatFlags) => {
      const { chat } = await import("./chat.ts");
      code = await chat({ file: config, url, channel, startNew, waitSeconds: wait });
    });

  addConfigOption(
    program
      .command("owner-link")
      .description("print a one-time link that makes a browser the owner's; needs owner in the configuration"),
  ).action(async ({ config }: { config?: string }) => {
    const { ownerLink } = await import("./owner-link.ts");
    process.stdout.write(await ownerLink({ file: config }));
  });

  addConfigOption(
    program.command("trace").description("show all work that followed from a message, by any id in the logs"),
  )
    .argument("<id>", "id of a message, a turn, a reply, a subtask, a message to another agent, or a trace")
    .option("--url <address>", "the gateway's address (default: the configuration's)")
    .option("--agent <name>", "the agent that did the work (default: any agent)")
    .option("--token-file <file>", "a file with an operator's token (default: from the configuration or dataDir)")
    .option("--json", "print the JSON of the admin API")
    .action(async (id: string, { config, url, agent, tokenFile, json = false }: TraceFlags) => {
      const { trace } = await import("./trace/trace.ts");
      process.stdout.write(await trace({ id, file: config, url, agent, tokenFile, json }));
    });

  const mcp = program.command("mcp").description("work with the MCP servers of agents");
  addConfigOption(mcp.command("sign-in").description("sign in at an MCP server that wants an operator's sign-in"))
    .argument("<server>", "the name of the server under mcpServers")
    .option("--agent <name>", "the agent that has the server; needed if several have one of this name")
    .option("--url <address>", "the gateway's address (default: the configuration's)")
    .option("--token-file <file>", "a file with an operator's token (default: from the configuration or dataDir)")
    .action(async (server: string, { config, url, agent, tokenFile }: Omit<TraceFlags, "json">) => {
      const { signIn } = await import("./sign-in.ts");
      process.stdout.write(await signIn({ server, file: config, url, agent, tokenFile }));
    });

  addConfigOption(program.command("backup").description("copy the data to one file, also while Mooring runs"))
    .argument("<file>", "the file to write")
    .option("--force", "replace the file if it exists")
    .action(async (file: string, { config, force = false }: BackupOptions) => {
      const { backup } = await import("./backup.ts");
      process.stdout.write(await backup({ file, config, force }));
    });

  addConfigOption(program.command("restore").description("replace the data with a backup, while Mooring is stopped"))
    .argument("<file>", "a file that backup wrote")
    .option("--force", "move existing data aside; with NATS: delete it")
    .action(async (file: string, { config, force = false }: BackupOptions) => {
      const { restore } = await import("./backup.ts");
      process.stdout.write(await restore({ file, config, force }));
    });

  addConfigOption(
    program
      .command("migrate")
      .description("copy the data to the backbone of another configuration, while Mooring is stopped"),
  )
    .requiredOption("--to <file>", "the configuration with the new backbone")
    .option("--force", "replace data that is there already")
    .action(async ({ config, to, force = false }: BackupOptions & { readonly to: string }) => {
      const { migrate } = await import("./backup.ts");
      process.stdout.write(await migrate({ config, to, force }));
    });

  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    return problem(error);
  }
};

const problem = (error: unknown): number => {
  if (!(error instanceof AppError)) throw error;
  process.stderr.write(`mooring: ${error.message}\n`);
  return exitCode.problem;
};

interface ChatFlags {
  readonly config?: string;
  readonly url?: string;
  readonly channel: string;
  readonly new?: boolean;
  readonly wait: number;
}

interface BackupOptions {
  readonly config?: string;
  readonly force?: boolean;
}

interface TraceFlags {
  readonly config?: string;
  readonly url?: string;
  readonly agent?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
}

const wholeNumber = (text: string): number => {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at most six digits.");
};

const addConfigOption = (command: Command): Command =>
  command
    .option("-c, --config <file>", "the configuration file (default: MOORING_CONFIG, else the one that Mooring ships)")
    .helpOption("-h, --help", "show this help");
