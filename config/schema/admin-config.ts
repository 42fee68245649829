import { z } from "zod";
import { Name } from "../../core/contract/ports/token.ts";
import { secret } from "../../core/contract/secret.ts";

/** check-credentials.ts checks its strength. */
const token = secret().describe(
  'The token itself, at least 20 characters, or "sha256:" followed by the 64 hex digits of its digest.',
);

const AdminToken = z.discriminatedUnion("role", [
  z.strictObject({ token, role: z.literal("platform_admin") }),
  z.strictObject({ token, role: z.literal("org_admin"), tenant: Name }),
]);

/** If no token is configured, the first start creates one and stores it in dataDir. */
export const AdminConfig = z.strictObject({
  tokens: z.array(AdminToken).default([]).describe("Operators that may use the admin API and the console."),
});
export type AdminConfig = z.infer<typeof AdminConfig>;
