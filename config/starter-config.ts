import { stringify } from "yaml";

/** One setting of a generated configuration. */
export interface Setting {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** Set for secrets: the file refers to this environment variable instead of containing the value. */
  readonly env?: string;
}

export interface StarterFiles {
  readonly yaml: string;
  /** Lines of an env file; empty without secrets. */
  readonly env: string;
}

/** Generates the configuration and the `.env` file with its secrets. */
export const starterConfig = (settings: readonly Setting[]): StarterFiles => {
  const root = {};
  for (const { path, value, env } of settings) put(root, path, env === undefined ? literal(value) : `\${${env}}`);
  const secrets = settings.flatMap(({ env, value }) =>
    env === undefined ? [] : [`${env}=${quoted(String(value))}\n`],
  );
  return { yaml: `${HEAD}${stringify(root, { lineWidth: 120 })}`, env: secrets.join("") };
};

const HEAD = `# Mooring configuration. \${NAME} takes a value from the environment, or from the file .env beside this one.
# Check it: mooring check --live --config FILE

`;

/** An answer is text, never a reference to a variable. */
const literal = (value: unknown): unknown => (typeof value === "string" ? value.replaceAll("${", () => "$${") : value);

const put = (root: object, path: Setting["path"], value: unknown): void => {
  let node = root as Record<string | number, unknown>;
  path.forEach((key, index) => {
    const next = path[index + 1];
    if (next === undefined) node[key] = value;
    else node[key] ??= typeof next === "number" ? [] : {};
    node = node[key] as typeof node;
  });
};

/** Env files have no escapes, so the value is wrapped in a quote character that it does not contain. */
const quoted = (value: string): string => {
  const quote = ["'", '"', "`"].find((mark) => !value.includes(mark)) ?? "'";
  return `${quote}${value}${quote}`;
};
