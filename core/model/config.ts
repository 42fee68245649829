import { z } from "zod";
import { providers } from "./providers/index.ts";

type Schema = (typeof providers)[number]["config"];

const Settings = z.discriminatedUnion("provider", providers.map(({ config }) => config) as [Schema, ...Schema[]]);

/** A provider without questions needs no settings, so its id alone is a configuration. */
const ids = providers
  .filter(({ questions }) => questions.length === 0)
  .map(({ id, config }) => z.literal(id).transform(() => config.parse({ provider: id })));

export const ModelConfig = z.union([...ids, Settings]);
export type ModelConfig = z.infer<typeof ModelConfig>;
