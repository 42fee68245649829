import { z } from "zod";
import { ABILITIES, type Ability } from "../contract/rights.ts";

const ABILITY_NAMES = Object.keys(ABILITIES) as [Ability, ...Ability[]];

const error = `must be one of default, ${ABILITY_NAMES.join(", ")}, or tool:<name>`;
const Grant = z
  .union([
    z.enum(["default", ...ABILITY_NAMES], { error }),
    z.templateLiteral(["tool:", z.string().regex(/^[\w*-]{1,64}$/)], { error }),
  ])
  .meta({ title: "grant" });
export type Grant = z.infer<typeof Grant>;

/** Classes of speakers that have rights without being named. */
export const CLASSES = ["anonymous", "member", "operator", "peer"] as const;

/** A class, `peer:<caller>`, `group:<name>` or `<channel>:<account>`. check-references.ts checks the names. */
const Speaker = z.string().regex(new RegExp(`^(${CLASSES.join("|")}|[\\w-]+:.+)$`), {
  error: `must be one of ${CLASSES.join(", ")}, or peer:<caller>, group:<name> or <channel>:<account>`,
});

export const RightsConfig = z.record(Speaker, z.array(Grant));
export type RightsConfig = z.infer<typeof RightsConfig>;

/** Members are people by name, or accounts as `<channel>:<account>`. */
export const GroupsConfig = z.record(z.string().regex(/^[\w-]{1,64}$/), z.array(z.string().min(1)));
export type GroupsConfig = z.infer<typeof GroupsConfig>;
