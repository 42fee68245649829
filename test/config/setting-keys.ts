import type { JsonSchema } from "../../config/schema/json-schema.ts";

type Node = JsonSchema & Readonly<Record<string, unknown>>;

/** Fields whose value decides which other fields an object has. */
const DISCRIMINATORS = ["adapter", "provider"];

/**
 * Every setting of a configuration, e.g. `gateway.port`, `agents[].name`, `tenants.*.a2aAsync` and, where an object has
 * variants, `channels.*(slack).botToken`. An object with fields is not a setting; its fields are.
 */
export const settingKeys = (schema: JsonSchema): string[] => [...new Set(leaves(schema as Node, "").map(ofOneSchema))];

/** Settings with the schema of another setting that is used alike: their own fields need no second proof. */
const OF_ONE_SCHEMA =
  /^(agents\[\]\.(?:fallbackModels|subtaskModels|skills\[\]\.deliverTo)|a2a\.callers\.\*\.deliverTo).*/;
const ofOneSchema = (key: string): string => key.replace(OF_ONE_SCHEMA, "$1");

const leaves = (node: Node, path: string): string[] => {
  if (node.$ref !== undefined) throw new Error(`${path}: a reference, which this walk does not follow`);
  const below = [
    ...variantsOf(node).flatMap((variant) => leaves(variant, `${path}${variantName(variant)}`)),
    ...Object.entries(node.properties ?? {}).flatMap(([key, field]) =>
      leaves(field as Node, path === "" ? key : `${path}.${key}`),
    ),
    ...nested(node.additionalProperties, `${path}.*`),
    ...nested(node.items, `${path}[]`),
  ].filter((key) => key !== path && !isPlain(key, path));
  return below.length > 0 ? below : [path];
};

const variantsOf = ({ anyOf = [], oneOf = [], allOf = [] }: Node): Node[] => [...anyOf, ...oneOf, ...allOf] as Node[];

const nested = (node: unknown, path: string): string[] =>
  typeof node === "object" && node !== null ? leaves(node as Node, path) : [];

/** A list or a record of plain values is one setting, by the name of the whole. */
const isPlain = (key: string, path: string): boolean =>
  key.startsWith(path) && /^(\[\]|\.\*)+$/.test(key.slice(path.length));

const variantName = ({ properties = {} }: Node): string => {
  const field = DISCRIMINATORS.map((name) => properties[name] as Node | undefined).find((one) => one !== undefined);
  const value = field && [field, ...variantsOf(field)].find((one) => one.const !== undefined)?.const;
  return value === undefined ? "" : `(${String(value)})`;
};
