import { type Command, Option } from "commander";

interface InitFlags {
  readonly output: string;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** `mooring init`: every question is a flag too, so that a script can answer them all. */
export const addInit = async (program: Command, args: readonly string[]): Promise<void> => {
  // The questions load the schemas of all channels and models, which costs every other command 70 ms of CPU time.
  const { questions } = args.includes("init") ? await import("./questions.ts") : { questions: [] };
  const command = program
    .command("init")
    .description("ask what is needed and write a configuration that runs")
    .option("-o, --output <file>", "where to write it", "mooring.yaml")
    .option("-f, --force", "write over a file that is there")
    .option("-y, --yes", "ask nothing: take the defaults where no flag answers")
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
    const isThere = !yes && process.stdin.isTTY && process.stdout.isTTY;
    await init({
      output,
      force,
      given: new Map(given),
      ...(isThere && { ask: askInTerminal }),
      say: (text) => void process.stdout.write(text),
    });
  });
};
