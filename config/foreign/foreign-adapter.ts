import { z } from "zod";
import { adapters } from "../../adapters/adapter-list.ts";
import {
  ADAPTER_CONTRACT,
  type AdapterDefinition,
  type ForeignAdapterDefinition,
} from "../../adapters/contract/adapter-definition.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import { Name } from "../../core/contract/ports/token.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** An adapter that channels can name. */
export interface AvailableAdapter {
  /** The value of `adapter` in the file: a built-in id, a path or a package. */
  readonly name: string;
  readonly definition: AdapterDefinition;
  /** The address of its module; absent for a built-in one. */
  readonly module?: string;
}

/** The adapters that a file names and that are not built in, by name: loaded, or the reason why not. */
export type ForeignAdapters = ReadonlyMap<
  string,
  { readonly adapter: AvailableAdapter } | { readonly problem: string }
>;

export const NO_FOREIGN_ADAPTERS: ForeignAdapters = new Map();

export const builtInAdapters: readonly AvailableAdapter[] = adapters.map((definition) => ({
  name: definition.id,
  definition: definition as AdapterDefinition,
}));

/** The adapters that channels can name: the built-in ones, and those that the file has loaded. Prints as their names. */
export class AdapterCatalogue {
  readonly #byName: ReadonlyMap<string, AvailableAdapter>;

  constructor(foreign: ForeignAdapters = NO_FOREIGN_ADAPTERS) {
    const loaded = [...foreign.values()].flatMap((found) => ("adapter" in found ? [found.adapter] : []));
    this.#byName = new Map([...builtInAdapters, ...loaded].map((each) => [each.name, each]));
  }

  get(name: string): AvailableAdapter | undefined {
    return this.#byName.get(name);
  }

  /** The addresses of the modules that the file has loaded. */
  get modules(): string[] {
    return [...this.#byName.values()].flatMap(({ module }) => module ?? []);
  }

  toJSON(): string[] {
    return [...this.#byName.keys()];
  }
}

const WRITE = "export default defineAdapter({ … })";
const text = z.string().min(1);
const callable = z.custom<unknown>((value) => typeof value === "function", { error: "must be a function" });

const Shape = z.looseObject({
  id: Name,
  label: text,
  // By shape, because a module may bring its own copy of zod.
  config: z.custom<unknown>((value) => typeof value === "object" && value !== null && "_zod" in value, {
    error: "must be a schema of zod 4",
  }),
  questions: z.array(z.looseObject({ flag: z.string().regex(/^[a-z][a-z0-9-]*$/), message: text })),
  guide: text.optional(),
  speakers: callable.optional(),
  create: callable,
});

/** The definition that a module exports by default, or the reason why it is not an adapter of this contract. */
export const readDefinition = (module: {
  readonly default?: unknown;
}): { definition: AdapterDefinition } | { problem: string } => {
  const exported = unwrapped(module.default);
  if (exported === undefined) return { problem: `has no default export: write \`${WRITE}\`` };
  if (typeof exported !== "object" || exported === null || !("contract" in exported))
    return { problem: `does not export an adapter by default: write \`${WRITE}\`` };
  if (exported.contract !== ADAPTER_CONTRACT) {
    const version = JSON.stringify(exported.contract);
    return {
      problem: `was made for version ${version} of the adapter contract; this release has version ${ADAPTER_CONTRACT}: install a matching version of the adapter`,
    };
  }
  const shape = Shape.safeParse(exported);
  if (!shape.success) {
    const [issue] = shape.error.issues;
    return { problem: `is not a valid adapter: "${issue?.path.join(".")}" ${issue?.message}` };
  }
  const definition = exported as ForeignAdapterDefinition;
  const { id, questions } = definition;
  // Flags of two adapters could otherwise be the same.
  const stray = questions.find(({ flag }) => !flag.startsWith(`${id}-`));
  if (stray !== undefined)
    return { problem: `is not a valid adapter: the flag "${stray.flag}" of a question must begin with "${id}-"` };
  const schemaProblem = problemOfSchema(definition);
  return schemaProblem === undefined ? { definition } : { problem: schemaProblem };
};

/** A module that was compiled to CommonJS has its default export one level deeper. */
const unwrapped = (exported: unknown): unknown =>
  typeof exported === "object" && exported !== null && "__esModule" in exported && "default" in exported
    ? exported.default
    : exported;

/** The settings of every channel must be in the schema, else a valid file would be refused. */
const problemOfSchema = ({ id, config }: AdapterDefinition): string | undefined => {
  let schema: JsonSchema;
  try {
    schema = settingsSchema(config);
  } catch (error) {
    return `is not a valid adapter: "config" cannot be described as JSON schema (${oneLine(error)})`;
  }
  const alternatives = alternativesOf(schema);
  const misses = (key: string, isRight: (property: unknown) => boolean) =>
    !alternatives.every(({ properties }) => isRight(properties?.[key]));
  const isSchema = (property: unknown) => typeof property === "object" && property !== null;
  if (misses("adapter", (property) => isSchema(property) && Reflect.get(Object(property), "const") === id))
    return `is not a valid adapter: "config" needs \`adapter: z.literal("${id}")\``;
  if (misses("agent", isSchema)) return 'is not a valid adapter: "config" needs `...channelFields`';
  return undefined;
};

const alternativesOf = (schema: JsonSchema): JsonSchema[] => {
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  return alternatives === undefined ? [schema] : alternatives.flatMap((each) => alternativesOf(each as JsonSchema));
};

type Options = Parameters<typeof z.toJSONSchema>[1];

/** The JSON schema of an adapter's settings, made by the copy of zod that made the schema, where it can. */
export const settingsSchema = (config: AdapterDefinition["config"], options: Options = {}): JsonSchema => {
  const all = { ...options, io: "input", unrepresentable: "any" } as const;
  const { $schema: _, ...schema } =
    "toJSONSchema" in config ? config.toJSONSchema(all) : z.toJSONSchema(config as z.ZodType, all);
  return schema;
};

/** The message of any thrown value in one short line. */
export const oneLine = (error: unknown): string => {
  const line = messageOf(error).split("\n", 1)[0]?.trim() ?? "";
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line || "no message";
};

const MAX_LINE = 200;
