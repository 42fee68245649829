/** The parts of a JSON schema that the page shows. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Row {
  readonly key: string;
  readonly type: string;
  readonly fallback: string;
  readonly description: string;
}

/** Every key of the configuration with its type, default and description, a section per top-level key. */
export const configurationPage = (schema: Schema): string =>
  [
    "# Configuration",
    "",
    "Mooring reads one YAML file: `--config FILE`, else the variable `MOORING_CONFIG`, else",
    "[the default](../../config/mooring.yaml). [The example](../../config/example.yaml) shows the keys in use. Any value can be",
    `\`\${NAME}\`, which is replaced by an environment variable or by a line of the file \`.env\` beside the configuration, or`,
    `\`\${file:PATH}\`, which is replaced by the content of a file ([secrets](../operations/secrets.md)). Paths of`,
    "keys contain `[]` for each entry of a list, and `<name>` for a name that you choose. `npm run reference` writes this page",
    "from the schema.",
    "",
    ...Object.entries(schema.properties ?? {}).flatMap(([key, part]) => section(key, part, isRequired(schema, key))),
  ].join("\n");

const isRequired = (schema: Schema, key: string): boolean => schema.required?.includes(key) ?? false;

const section = (key: string, schema: Schema, required: boolean): string[] => [
  `## \`${key}\``,
  "",
  ...table(rowsOf(key, schema, required)),
  "",
  ...variantsIn(key, schema).flatMap(({ path, title, schema: variant }) => [
    `### ${title}`,
    "",
    ...table(rowsIn(path, variant)),
    "",
  ]),
];

const table = (rows: readonly Row[]): string[] => [
  "| key | type | default | meaning |",
  "| --- | --- | --- | --- |",
  ...rows.map(({ key, type, fallback, description }) => `| \`${key}\` | ${type} | ${fallback} | ${description} |`),
];

/** A value with a variable in its place is the value. */
const withoutVariable = (schema: Schema): Schema => {
  const [first, second, ...others] = schema.anyOf ?? [];
  const isVariable = second?.type === "string" && others.length === 0 && "pattern" in second && first !== undefined;
  return isVariable ? { ...withoutVariable(first), ...picked(schema) } : schema;
};

const picked = ({ description, default: fallback }: Schema): Schema => ({
  ...(description === undefined ? {} : { description }),
  ...(fallback === undefined ? {} : { default: fallback }),
});

const rowsOf = (key: string, given: Schema, required: boolean): Row[] => {
  const schema = withoutVariable(given);
  const own: Row = {
    key,
    type: typeOf(schema),
    fallback: required ? "required" : defaultOf(schema),
    description: (schema.description ?? "").replaceAll("|", "\\|"),
  };
  return [own, ...rowsIn(key, schema)];
};

/** The rows of the keys below an object, a list or a map; objects with variants have sections of their own. */
const rowsIn = (key: string, schema: Schema): Row[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    rowsOf(`${key}.${name}`, part, isRequired(schema, name)),
  ),
  ...(schema.items === undefined ? [] : below(`${key}[]`, schema.items)),
  ...(typeof schema.additionalProperties === "object" ? below(`${key}.<name>`, schema.additionalProperties) : []),
  ...formsOf(key, schema.anyOf ?? []),
];

/** Keys of alternatives without a constant key, such as a room or a person. */
const formsOf = (key: string, forms: readonly Schema[]): Row[] => {
  const required = forms.length > 1 ? "required in this form" : "required";
  return forms
    .flatMap((form) => rowsIn(key, withoutVariable(form)))
    .map((row) => (row.fallback === "required" ? { ...row, fallback: required } : row));
};

const below = (key: string, given: Schema): Row[] => rowsIn(key, withoutVariable(given));

interface Variant {
  readonly path: string;
  readonly title: string;
  readonly schema: Schema;
}

/** The alternatives of an object that a constant key chooses, such as `adapter`. */
const variantsIn = (key: string, given: Schema): Variant[] => {
  const schema = withoutVariable(given);
  const own = (schema.oneOf ?? []).map((variant) => ({ path: key, title: titleOf(key, variant), schema: variant }));
  return [
    ...own,
    ...(schema.oneOf ?? []).flatMap((variant) => deeper(key, variant)),
    ...(schema.anyOf ?? []).flatMap((option) => variantsIn(key, option)),
    ...deeper(key, schema),
  ];
};

const deeper = (key: string, schema: Schema): Variant[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => variantsIn(`${key}.${name}`, part)),
  ...(schema.items === undefined ? [] : variantsIn(`${key}[]`, schema.items)),
  ...(typeof schema.additionalProperties === "object" ? variantsIn(`${key}.<name>`, schema.additionalProperties) : []),
];

const titleOf = (key: string, variant: Schema): string => {
  const [name, part] =
    Object.entries(variant.properties ?? {}).find(([, { const: value }]) => value !== undefined) ?? [];
  return name === undefined ? `\`${key}\`` : `\`${key}\` with \`${name}: ${part?.const}\``;
};

const typeOf = (schema: Schema): string => {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map((option) => typeOf(withoutVariable(option))))].join(" or ");
  if (schema.type === "array") return `list of ${plural(typeOf(withoutVariable(schema.items ?? {})))}`;
  if (schema.type === "object") return typeof schema.additionalProperties === "object" ? "map" : "section";
  return [schema.type ?? "any", rangeOf(schema)].join("");
};

const plural = (type: string): string =>
  type.replace(/^(string|number|integer|section|list|map)\b/, (word) => `${word}s`);

const UNBOUNDED = Number.MAX_SAFE_INTEGER;

const rangeOf = ({ minimum, maximum, exclusiveMinimum }: Schema): string => {
  const upper = maximum === undefined || maximum >= UNBOUNDED ? undefined : maximum;
  if (exclusiveMinimum !== undefined && upper === undefined) return `, more than ${exclusiveMinimum}`;
  if (minimum !== undefined && minimum > -UNBOUNDED) {
    return upper === undefined ? `, at least ${minimum}` : `, ${minimum} to ${upper}`;
  }
  return upper === undefined ? "" : `, at most ${upper}`;
};

const defaultOf = ({ default: value }: Schema): string =>
  value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)
    ? ""
    : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
