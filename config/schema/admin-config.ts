import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import { Name } from "../../core/contract/token.ts";

/** How strong it must be is in check-credentials.ts. */
const token = secret().describe(
  'The token itself, at least 20 characters, or "sha256:" and the 64 hex digits of its digest.',
);

const AdminToken = z.discriminatedUnion("role", [
  z.strictObject({ token, role: z.literal("platform_admin") }),
  z.strictObject({ token, role: z.literal("org_admin"), tenant: Name }),
]);

/** Without any token, the first start creates one and stores it in dataDir. */
export const AdminConfig = z.strictObject({
  tokens: z.array(AdminToken).default([]).describe("Operators: who may use the console, and for which tenant."),
});
export type AdminConfig = z.infer<typeof AdminConfig>;
