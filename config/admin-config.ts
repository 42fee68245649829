import { z } from "zod";
import { Name } from "../core/contract/name.ts";
import { secret } from "../core/contract/secret.ts";

const token = secret({ minLength: 16 }).describe('The token itself, or "sha256:" and the 64 hex digits of its digest.');

const AdminToken = z.discriminatedUnion("role", [
  z.strictObject({ token, role: z.literal("platform_admin") }),
  z.strictObject({ token, role: z.literal("org_admin"), tenant: Name }),
]);

/** Without any token, one is made at the first start and kept in dataDir. */
export const AdminConfig = z.strictObject({
  tokens: z.array(AdminToken).default([]).describe("Operators: who may use the console, and for which tenant."),
});
export type AdminConfig = z.infer<typeof AdminConfig>;
