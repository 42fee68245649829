import { z } from "zod";

export const PersonConfig = z.strictObject({
  name: z.string().min(1).describe("Name of the person, for `home` and `deliverTo`."),
  accounts: z
    .record(z.string(), z.string().min(1))
    .describe("The person's account id on each channel, by the channel's name."),
});
export type PersonConfig = z.infer<typeof PersonConfig>;

/** Personal mode: the assistant of one person (I1). */
export const OwnerConfig = z.strictObject({
  name: z.string().min(1).default("owner").describe("Name of the owner, for `home`, `deliverTo` and `groups`."),
  accounts: z
    .record(z.string(), z.string().min(1))
    .default({})
    .describe(
      "The owner's account id on each channel with accounts, by the channel's name. Web channels need none: they recognise the owner by the owner secret.",
    ),
});
export type OwnerConfig = z.infer<typeof OwnerConfig>;
