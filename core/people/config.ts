import { z } from "zod";

export const PersonConfig = z.strictObject({
  name: z.string().min(1).describe("Name of the person, for `home` and `deliverTo`."),
  accounts: z
    .record(z.string(), z.string().min(1))
    .describe("The person's account id on each channel, by the channel's name."),
});
export type PersonConfig = z.infer<typeof PersonConfig>;
