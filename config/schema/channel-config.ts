import { z } from "zod";
import { adapters } from "../../adapters/adapter-list.ts";

type Schema = (typeof adapters)[number]["config"];

/** By name, the order in which the JSON schema and error messages show them. */
const schemas = [...adapters].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ config }) => config);

export const ChannelConfig = z.discriminatedUnion("adapter", schemas as [Schema, ...Schema[]]);
export type ChannelConfig = z.infer<typeof ChannelConfig>;
