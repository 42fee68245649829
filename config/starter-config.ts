import { stringify } from "yaml";

/** One setting of a configuration that is written for somebody. */
export interface Setting {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** It is a secret: the file names this variable of the environment, and never shows the value. */
  readonly env?: string;
}

export interface StarterFiles {
  readonly yaml: string;
  /** Lines of an env file; empty without secrets. */
  readonly env: string;
}

/** A configuration as a person would write it, and the secrets that belong beside it. */
export const starterConfig = (settings: readonly Setting[]): StarterFiles => {
  const root = {};
  for (const { path, value, env } of settings) put(root, path, env === undefined ? value : `\${${env}}`);
  const secrets = settings.flatMap(({ env, value }) =>
    env === undefined ? [] : [`${env}=${quoted(String(value))}\n`],
  );
  return { yaml: `${HEAD}${stringify(root, { lineWidth: 120 })}`, env: secrets.join("") };
};

const HEAD = `# What Mooring runs. \${NAME} takes a value from the environment, or from the file .env beside this one.
# Check it: mooring check --live --config FILE

`;

const put = (root: object, path: Setting["path"], value: unknown): void => {
  let place = root as Record<string | number, unknown>;
  path.forEach((key, index) => {
    const next = path[index + 1];
    if (next === undefined) place[key] = value;
    else place[key] ??= typeof next === "number" ? [] : {};
    place = place[key] as typeof place;
  });
};

/** A file of this kind knows no escapes: a value goes between quotes that it does not hold itself. */
const quoted = (value: string): string => {
  const quote = ["'", '"', "`"].find((mark) => !value.includes(mark)) ?? "'";
  return `${quote}${value}${quote}`;
};
