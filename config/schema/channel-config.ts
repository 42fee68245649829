import { z } from "zod";
import { adapters } from "../../adapters/adapter-list.ts";
import { type AccessRules, channelFields } from "../../adapters/contract/config.ts";
import { type AvailableAdapter, type ForeignAdapters, oneLine } from "../foreign/foreign-adapter.ts";

type Schema = (typeof adapters)[number]["config"];

/** Sorted by name, for stable output of the JSON schema and of error messages. */
const schemas = [...adapters].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ config }) => config);

/** The settings of a channel with a built-in adapter. */
export const BuiltInChannel = z.discriminatedUnion("adapter", schemas as [Schema, ...Schema[]]);

const CommonFields = z.object(channelFields);

/** The settings of a channel whose adapter is not part of Mooring. Only the adapter knows the others. */
export interface ForeignChannel extends z.infer<typeof CommonFields> {
  readonly adapter: string;
  readonly access?: AccessRules | undefined;
  readonly locale?: string | undefined;
}

export type ChannelConfig = z.infer<typeof BuiltInChannel> | ForeignChannel;

const listed = z.union([z.literal("*"), z.array(z.string())]).optional();
/** The gateway applies these rules, so it checks the form that an adapter's schema has produced. */
const Rules = z.looseObject({
  accounts: listed,
  rooms: listed,
  workspaces: listed,
  messagesPerMinute: z.number().positive().optional(),
});
const Trusted = z.looseObject({ access: Rules.optional(), locale: z.string().optional() });

type Issues = z.core.$ZodRawIssue[];

/** The settings of a channel, checked by the schema of its adapter. */
export const channelSchema = (foreign: ForeignAdapters): z.ZodType<ChannelConfig> => {
  if (foreign.size === 0) return BuiltInChannel;
  return z.unknown().transform((value, { issues }): ChannelConfig => {
    const found = foreign.get(adapterOf(value));
    if (found === undefined) return checkedBy(BuiltInChannel, value, issues);
    // The adapter could not be loaded, which is reported apart.
    if ("problem" in found) return { adapter: adapterOf(value) };
    return checkForeign(found.adapter, value as object, issues);
  });
};

const adapterOf = (value: unknown): string => {
  const adapter: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "adapter") : undefined;
  return typeof adapter === "string" ? adapter : "";
};

/** The schema of a foreign adapter has its id where the file has a path or a package. */
const checkForeign = ({ name, definition }: AvailableAdapter, value: object, issues: Issues): ChannelConfig => {
  const common = checkedBy(CommonFields, value, []);
  try {
    const settings = checkedBy(definition.config, { ...value, adapter: definition.id }, issues);
    const trusted = Trusted.safeParse(settings);
    if (settings !== z.NEVER && !trusted.success) issues.push(misused(trusted.error, value));
    return { ...settings, ...common, adapter: name };
  } catch (error) {
    issues.push({ code: "custom", message: `could not be checked by its adapter: ${oneLine(error)}`, input: value });
    return z.NEVER;
  }
};

const misused = (error: z.ZodError, input: unknown) => ({
  code: "custom" as const,
  path: [error.issues[0]?.path[0] ?? ""],
  message: "has a form that the gateway does not know: the adapter must use `accessFields` and `localeFields`",
  input,
});

const checkedBy = <T>(schema: z.ZodType<T>, value: unknown, issues: Issues): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) issues.push({ ...issue, input: value } as Issues[number]);
  return z.NEVER;
};
