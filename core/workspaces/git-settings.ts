/** Settings of git for one command, which take precedence over every configuration file. */
export type GitSetting = readonly [key: string, value: string];

/** Disables programs that the repository configures: a subtask may have written or selected them (`.gitattributes`). */
export const FIXED_SETTINGS: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.sshCommand", "false"],
  ["core.quotePath", "false"],
  ["commit.gpgSign", "false"],
  ["merge.verifySignatures", "false"],
  ["merge.stat", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
  ["diff.ignoreSubmodules", "all"],
  ["safe.bareRepository", "explicit"],
  ["user.name", "Mooring"],
  ["user.email", "mooring@localhost"],
  ["advice.detachedHead", "false"],
];

/** Disables every fetch, also of missing objects of a partial clone, because a remote can name a program. */
export const FIXED_VARIABLES: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
};

/** Options of `git diff` that disable configured drivers. */
export const PLAIN_DIFF: readonly string[] = ["--no-ext-diff", "--no-textconv"];

/** The text merge of git itself, in the form that a configured merge driver has. */
const TEXT_MERGE = "git merge-file --marker-size=%L %A %O %B";

const DRIVER = /^(filter|merge)\.(.+)\.(clean|smudge|process|driver|recursive)$/s;

/** Switches off the filter and merge drivers among the configured keys. */
export const driversOff = (keys: readonly string[]): GitSetting[] => {
  const drivers = new Set(keys.flatMap((key) => driverOf(key) ?? []));
  return [...drivers].flatMap((driver): GitSetting[] =>
    driver.startsWith("filter.")
      ? [
          [`${driver}.clean`, ""],
          [`${driver}.smudge`, ""],
          [`${driver}.process`, ""],
          [`${driver}.required`, "false"],
        ]
      : [
          [`${driver}.driver`, TEXT_MERGE],
          [`${driver}.recursive`, "text"],
        ],
  );
};

const driverOf = (key: string): string | undefined => {
  const [, kind, name] = DRIVER.exec(key) ?? [];
  return kind === undefined ? undefined : `${kind}.${name}`;
};

/** Settings as environment variables: they allow any character in names, and git passes them on to its own commands. */
export const settingVariables = (settings: readonly GitSetting[]): Record<string, string> =>
  Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
