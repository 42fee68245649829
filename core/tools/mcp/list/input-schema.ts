import { z } from "zod";
import { wellFormed } from "./well-formed-schema.ts";

type Json = Readonly<Record<string, unknown>>;

const EMPTY = { type: "object", properties: {} };
const MAX_DEPTH = 8;
const MAX_NODES = 2_000;
/** A larger schema costs more tokens than its tool is worth; the server still checks the arguments. */
const MAX_BYTES = 50_000;
/** Providers refuse properties with other names. */
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Reading {
  readonly root: Json;
  /** Regular expressions of a server that is not trusted could take very long. */
  readonly withPatterns: boolean;
  /** Counts down: references inside of references multiply. */
  nodes: number;
}

/**
 * The schema of a tool's arguments in a form that every provider accepts: one object, without references and without
 * alternatives at its top. Rules that this form cannot express are left out, because the server checks the arguments itself.
 */
export const inputSchemaFor = (raw: unknown, options: { readonly trusted: boolean }): Json => {
  if (!isRecord(raw)) return EMPTY;
  const reading = { root: raw, withPatterns: options.trusted, nodes: MAX_NODES };
  const { oneOf, anyOf, allOf, ...own } = resolved(raw, reading, 0);
  const { properties, required, ...rest } = own;
  const choices = [...list(oneOf), ...list(anyOf)];
  const parts = list(allOf);
  const all = Object.assign({}, ...[...choices, ...parts].map(propertiesOf), propertiesOf({ properties }));
  const kept = Object.fromEntries(Object.entries(all).filter(([name]) => PROPERTY.test(name)));
  const needed = [...names(required), ...parts.flatMap((part) => names(part.required)), ...neededByAll(choices)];
  const schema = {
    ...without(rest, ["$schema", "$id", "$defs", "definitions", "not", "if", "then", "else", "enum", "const"]),
    type: "object",
    properties: kept,
    ...(needed.length > 0 && { required: [...new Set(needed)].filter((name) => name in kept) }),
  };
  return JSON.stringify(schema).length > MAX_BYTES ? EMPTY : schema;
};

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const names = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
const propertiesOf = ({ properties }: { readonly properties?: unknown }): Json =>
  isRecord(properties) ? properties : {};
const without = (schema: Json, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));

/** Properties that every alternative requires. */
const neededByAll = (choices: readonly Json[]): string[] =>
  choices.length === 0
    ? []
    : names(choices[0]?.required).filter((name) => choices.every(({ required }) => names(required).includes(name)));

/** The schema with its references replaced. A schema that contains itself ends with one that accepts everything. */
const resolved = (schema: Json, reading: Reading, depth: number): Json => {
  if (depth > MAX_DEPTH || reading.nodes-- <= 0) return {};
  const { $ref, ...own } = schema;
  if ($ref === undefined) return mapped(own, reading, depth);
  const target = typeof $ref === "string" ? find(reading.root, $ref) : undefined;
  return target === undefined
    ? mapped(own, reading, depth)
    : { ...resolved(target, reading, depth + 1), ...mapped(own, reading, depth) };
};

/** References are replaced; the server checks the rules among properties that models rarely understand. */
const DROPPED = new Set([
  ...["$defs", "definitions", "$schema", "$id", "$anchor", "$comment", "$vocabulary", "$dynamicRef", "$dynamicAnchor"],
  ...["patternProperties", "dependencies", "dependentRequired", "dependentSchemas"],
]);

const mapped = (schema: Json, reading: Reading, depth: number): Json =>
  wellFormed(
    Object.fromEntries(
      Object.entries(schema)
        .filter(([key]) => !DROPPED.has(key) && (reading.withPatterns || key !== "pattern"))
        .map(([key, value]) => [key, mappedValue(key, value, reading, depth + 1)]),
    ),
  );

/** Below `properties`, every key is a name; the values of some other keys are data. */
const mappedValue = (key: string, value: unknown, reading: Reading, depth: number): unknown => {
  if (["default", "enum", "const", "examples", "required"].includes(key)) return value;
  if (Array.isArray(value)) return value.map((one) => (isRecord(one) ? resolved(one, reading, depth) : one));
  if (!isRecord(value)) return key === "items" && value === true ? {} : value;
  if (key !== "properties") return resolved(value, reading, depth);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isRecord(one) ? resolved(one, reading, depth) : {}]),
  );
};

/** Only references inside of the schema are followed. */
const find = (root: Json, reference: string): Json | undefined => {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const part of reference
    .slice(1)
    .split("/")
    .filter((one) => one !== "")) {
    at = isRecord(at) ? at[part.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  }
  return isRecord(at) ? at : undefined;
};

/** Checks arguments against the schema without changing them. The validator is made at the first call. */
export const inputCheck = (schema: Json): z.ZodType<Json> => {
  let validator: z.ZodType | undefined;
  return z.record(z.string(), z.unknown()).superRefine((value, context) => {
    validator ??= compiled(schema);
    for (const { path, message } of validator.safeParse(value).error?.issues ?? []) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  });
};

/** If zod cannot read a schema, the server alone checks the arguments. */
const compiled = (schema: Json): z.ZodType => {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return z.unknown();
  }
};
