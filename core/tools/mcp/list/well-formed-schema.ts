type Json = Readonly<Record<string, unknown>>;
/** The value of a keyword in a valid form; undefined: the keyword is left out. */
type Check = (value: unknown) => unknown;

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const ifText: Check = (value) => (typeof value === "string" ? value : undefined);
const ifFlag: Check = (value) => (typeof value === "boolean" ? value : undefined);
const ifNumber: Check = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
const ifCount: Check = (value) => (Number.isInteger(value) && (value as number) >= 0 ? value : undefined);
const ifSchema: Check = (value) => (isRecord(value) || typeof value === "boolean" ? value : undefined);
const ifRecord: Check = (value) => (isRecord(value) ? value : undefined);
const ifSchemas: Check = (value) => {
  const schemas = Array.isArray(value) ? value.filter(isRecord) : [];
  return schemas.length > 0 ? schemas : undefined;
};
const ifNames: Check = (value) =>
  Array.isArray(value) ? [...new Set(value.filter((name) => typeof name === "string"))] : undefined;
const ifValues: Check = (value) => (Array.isArray(value) && value.length > 0 ? [...new Set(value)] : undefined);

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** Some servers write types of other languages, or in capitals. */
const ifTypes: Check = (value) => {
  const given = (Array.isArray(value) ? value : [value]).map((name) => String(name).toLowerCase());
  const known = [...new Set(given)].filter((name) => TYPES.includes(name));
  return known.length > 1 ? known : known[0];
};

const ifPattern: Check = (value) => {
  try {
    new RegExp(String(value), "u");
    return ifText(value);
  } catch {
    return undefined;
  }
};

const CHECKS: Readonly<Record<string, Check>> = {
  type: ifTypes,
  title: ifText,
  description: ifText,
  format: ifText,
  pattern: ifPattern,
  enum: ifValues,
  examples: ifValues,
  required: ifNames,
  properties: ifRecord,
  items: ifSchema,
  contains: ifSchema,
  additionalProperties: ifSchema,
  propertyNames: ifSchema,
  not: ifSchema,
  if: ifSchema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
  then: ifSchema,
  else: ifSchema,
  oneOf: ifSchemas,
  anyOf: ifSchemas,
  allOf: ifSchemas,
  minimum: ifNumber,
  maximum: ifNumber,
  exclusiveMinimum: ifNumber,
  exclusiveMaximum: ifNumber,
  multipleOf: (value) => (typeof value === "number" && value > 0 ? value : undefined),
  minLength: ifCount,
  maxLength: ifCount,
  minItems: ifCount,
  maxItems: ifCount,
  minProperties: ifCount,
  maxProperties: ifCount,
  uniqueItems: ifFlag,
  deprecated: ifFlag,
  readOnly: ifFlag,
  writeOnly: ifFlag,
};

/**
 * One level of a schema without keywords that have an invalid value. A provider refuses the whole request for one of them,
 * so that no turn could have any tool.
 */
export const wellFormed = (schema: Json): Json => {
  const valid = Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      const check = Object.hasOwn(CHECKS, key) ? CHECKS[key] : undefined;
      const checked = check === undefined ? value : check(value);
      return checked === undefined ? [] : [[key, checked]];
    }),
  );
  const mayBeArray = [valid.type].flat().includes("array");
  // OpenAI refuses an array whose items are not described; a list of items is of an older version of the standard.
  return mayBeArray && !isRecord(valid.items) ? { ...valid, items: {} } : valid;
};
