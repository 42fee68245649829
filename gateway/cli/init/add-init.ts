import { basename, relative } from "node:path";
import { type Command, Option } from "commander";

interface InitFlags {
  readonly output: string;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** `mooring init`: each question also has a flag, so that a script can answer it. */
export const addInit = async (program: Command, args: readonly string[]): Promise<void> => {
  // The questions load the schemas of all channels and models, which costs every other command 70 ms of CPU time.
  const { questions } = args.includes("init") ? await import("./questions.ts") : { questions: [] };
  const command = program
    .command("init")
    .description("ask a few questions and write a configuration that runs")
    .option("-o, --output <file>", "the file to write", "mooring.yaml")
    .option("-f, --force", "overwrite an existing file")
    .option("-y, --yes", "ask nothing, use the default for each question without a flag")
    .helpOption("-h, --help", "show this help");
  const messages = new Map(
    questions.map(({ flag, message, choices }) => [
      flag,
      choices ? `${message} (${choices.map(({ value }) => value).join(", ")})` : message,
    ]),
  );
  const flags = [...messages].map(([flag, message]) => new Option(`--${flag} <answer>`, message));
  for (const flag of flags) command.addOption(flag);
  command.action(async ({ output, force = false, yes = false }: InitFlags) => {
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
      ...(isInteractive && { ask: askInTerminal }),
      program: programName(),
      print: (text) => void process.stdout.write(text),
    });
  });
};

/** The command that started this process: the installed program, or the built file of a checkout. */
const programName = (): string => {
  const [, file = ""] = process.argv;
  return basename(file).endsWith(".js") ? `node ${relative("", file)}` : "mooring";
};
