import { z } from "zod";

export const TenantConfig = z.strictObject({
  a2aAsync: z.boolean().default(false).describe("Lets agents of this tenant message each other without waiting."),
});
export type TenantConfig = z.infer<typeof TenantConfig>;
