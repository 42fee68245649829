import { AdapterCatalogue, type ForeignAdapters, NO_FOREIGN_ADAPTERS } from "./foreign/foreign-adapter.ts";
import { checkCredentials } from "./problems/check-credentials.ts";
import { checkOwner } from "./problems/check-owner.ts";
import { checkReferences } from "./problems/check-references.ts";
import { checkRights } from "./problems/check-rights.ts";
import { describeIssue, leafIssues } from "./problems/describe-issue.ts";
import {
  ConfigInvalid,
  type ConfigProblem,
  type KeyPath,
  type Problem,
  spellPath,
  valueAt,
} from "./problems/problem.ts";
import { readYaml } from "./read/read-yaml.ts";
import { secretFileReader } from "./read/secret-file.ts";
import { convertTypes, type Environment, substituteReferences } from "./read/substitute-references.ts";
import { Config, configSchema } from "./schema/config.ts";
import { fileSchema, type JsonSchema } from "./schema/json-schema.ts";
import { withOwnerAccess } from "./schema/owner-access.ts";

interface ConfigSource {
  /** Shown in error messages. The files that it names are relative to its folder. */
  readonly file: string;
  readonly text: string;
  readonly env: Environment;
}

/** A file whose YAML is read and whose references are substituted. */
export interface ReadConfig {
  readonly file: string;
  readonly yaml: ReturnType<typeof readYaml>;
  readonly filled: ReturnType<typeof substituteReferences>;
}

/** Throws ConfigInvalid with all problems at once. */
export const parseConfig = (source: ConfigSource, foreign: ForeignAdapters = NO_FOREIGN_ADAPTERS): Config =>
  checkConfig(readConfig(source), foreign);

/** Throws ConfigInvalid for a text that is not YAML. */
export const readConfig = ({ file, text, env }: ConfigSource): ReadConfig => {
  const yaml = readYaml(text);
  if (yaml.problems.length > 0) throw invalid(file, yaml, yaml.problems);
  const filled = substituteReferences(yaml.value, { env, readSecretFile: secretFileReader(file) });
  return { file, yaml, filled };
};

/** The adapters that the channels of the file name. */
export const namedAdapters = ({ filled }: ReadConfig): string[] =>
  channelsOf(filled.value).flatMap(([, { adapter }]) => (typeof adapter === "string" ? [adapter] : []));

const channelsOf = (root: unknown): [name: string, channel: { readonly adapter?: unknown }][] => {
  const channels = valueAt(root, ["channels"]);
  return Object.entries(typeof channels === "object" && channels !== null ? channels : {}).filter(
    ([, channel]) => typeof channel === "object" && channel !== null,
  );
};

export const checkConfig = ({ file, yaml, filled }: ReadConfig, foreign: ForeignAdapters): Config => {
  const schema = foreign.size === 0 ? Config : configSchema(foreign);
  const value = convertTypes(filled, schema);
  const adapters = new AdapterCatalogue(foreign);
  const parsed = schema.safeParse(withOwnerAccess(value, adapters));
  const unset = new Set(filled.problems.map(({ path }) => spellPath(path)));
  let described: JsonSchema | undefined;
  const schemaOf = () => {
    described ??= fileSchema(foreign);
    return described;
  };
  const own = leafIssues(parsed.error?.issues ?? []).flatMap((issue) => describeIssue(issue, value, schemaOf));
  const reported = new Set(own.map(({ path }) => spellPath(path)));
  const problems = [
    ...own,
    ...unloaded(value, foreign),
    ...checkReferences(value),
    ...checkOwner(value, adapters),
    ...checkRights(value),
    ...checkCredentials(value).filter(({ path }) => !reported.has(spellPath(path))),
  ].filter(({ path }) => !unset.has(spellPath(path)));
  if (!parsed.success || unset.size > 0 || problems.length > 0)
    throw invalid(file, yaml, [...filled.problems, ...problems]);
  return deepFreeze(parsed.data);
};

/** The adapters that could not be loaded, at each channel that names them. */
const unloaded = (root: unknown, foreign: ForeignAdapters): Problem[] =>
  channelsOf(root).flatMap(([channel, { adapter }]) => {
    const found = typeof adapter === "string" ? foreign.get(adapter) : undefined;
    return found !== undefined && "problem" in found
      ? [{ path: ["channels", channel, "adapter"], message: found.problem }]
      : [];
  });

const invalid = (file: string, { lineOf }: ReadConfig["yaml"], problems: readonly Problem[]): ConfigInvalid =>
  new ConfigInvalid(
    file,
    problems.map((problem) => locate(problem, lineOf)).sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  );

const locate = ({ path, message, line }: Problem, lineOf: (path: KeyPath) => number | undefined): ConfigProblem => {
  const at = line ?? lineOf(path);
  return { path: spellPath(path), ...(at !== undefined && { line: at }), message };
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
};
