import { basename, dirname, relative, sep } from "node:path";
import { parseArgs } from "node:util";
import { type Command, Option } from "commander";
import type { AvailableAdapter } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import type { EnvChoice } from "./init.ts";
import { shellWord } from "./next-steps.ts";

const DEFAULT_OUTPUT = "mooring.yaml";

interface InitFlags {
  readonly output: string;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly existingEnv?: EnvChoice;
}

/** `mooring init`: each question also has a flag, so that a script can answer it. */
export const addInit = async (program: Command, args: readonly string[]): Promise<void> => {
  // The questions load the schemas of all channels and models, which costs every other command 70 ms of CPU time.
  const foreign = args.includes("init") ? await namedAdapters(args) : [];
  const questions = args.includes("init") ? (await import("./questions.ts")).questionsFor(foreign) : [];
  const command = program
    .command("init")
    .description("ask a few questions and write a configuration that runs")
    .option("-o, --output <file>", "the file to write", DEFAULT_OUTPUT)
    .option("-a, --adapter <names>", "adapters that are not built in: paths or packages, separated by commas")
    .option("-f, --force", "overwrite an existing file")
    .option("-y, --yes", "ask nothing, use the default for each question without a flag")
    // Node reads an option named --env-file as its own, wherever it stands, and ends.
    .addOption(
      new Option(
        "--existing-env <choice>",
        "an .env file that is there already: update it, or keep it as it is",
      ).choices(["update", "keep"]),
    )
    .helpOption("-h, --help", "show this help");
  const messages = new Map(
    questions.map(({ flag, message, choices }) => [
      flag,
      choices ? `${message} (${choices.map(({ value }) => value).join(", ")})` : message,
    ]),
  );
  const flags = [...messages].map(([flag, message]) => new Option(`--${flag} <answer>`, message));
  for (const flag of flags) command.addOption(flag);
  command.action(async ({ output, force = false, yes = false, existingEnv }: InitFlags) => {
    const { init } = await import("./init.ts");
    const { askInTerminal } = await import("./ask-in-terminal.ts");
    const given = flags.flatMap((flag) => {
      const answer: unknown = command.getOptionValue(flag.attributeName());
      return typeof answer === "string" ? [[flag.name(), answer] as const] : [];
    });
    const isInteractive = !yes && process.stdin.isTTY && process.stdout.isTTY;
    await init({
      output,
      force,
      given: new Map(given),
      foreign,
      envFile: existingEnv,
      ...(isInteractive && { ask: askInTerminal }),
      program: programName(),
      print: (text) => void process.stdout.write(text),
    });
  });
};

/** The adapters of `--adapter`, which are loaded first, because their questions are flags too. */
const namedAdapters = async (args: readonly string[]): Promise<readonly AvailableAdapter[]> => {
  const options = { adapter: { type: "string", short: "a" }, output: { type: "string", short: "o" } } as const;
  const { adapter, output } = parseArgs({ args: [...args], options, strict: false }).values;
  if (typeof adapter !== "string") return [];
  const { loadForeignAdapters } = await import("../../../config/index.ts");
  const file = typeof output === "string" ? output : DEFAULT_OUTPUT;
  const names = listed(adapter);
  const loaded = await loadForeignAdapters(names, file);
  return names.map((name) => {
    const found = loaded.get(name) ?? { problem: "is neither a path such as ./adapter.js nor the name of a package" };
    if ("adapter" in found) return found.adapter;
    throw new AppError("bad-configuration", `--adapter ${name}: ${found.problem}`);
  });
};

/** The command that started this process: the installed program, that of a package beside the files, or a built file. */
export const programName = (file = process.argv[1] ?? ""): string => {
  if (basename(file).endsWith(".js")) return `node ${shellWord(relative("", file))}`;
  return dirname(file).endsWith(["node_modules", ".bin"].join(sep)) ? "npx mooring" : "mooring";
};
