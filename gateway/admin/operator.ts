import { timingSafeEqual } from "node:crypto";
import type { AdminConfig } from "../../config/admin-config.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { configuredDigest, digestOf } from "../secret-digest.ts";

/** Who runs the service, or one tenant of it. */
export type Operator = { readonly token: string } & (
  | { readonly role: "platform_admin" }
  | { readonly role: "org_admin"; readonly tenant: string }
);

/** Finds out by their bearer token who calls. Throws "unauthorised" for nobody known. */
export type OperatorCheck = (authorization: string | undefined) => Operator;

/** Without configured tokens, the one that was made at the first start is a platform admin's. */
export const operatorCheck = (tokens: AdminConfig["tokens"], madeToken: string | undefined): OperatorCheck => {
  const known: { digest: Buffer; operator: Operator }[] = tokens.map(({ token, ...operator }) => {
    const digest = configuredDigest(token.reveal());
    return { digest, operator: { ...operator, token: nameOf(digest) } };
  });
  if (madeToken !== undefined) {
    const digest = digestOf(madeToken);
    known.push({ digest, operator: { role: "platform_admin", token: nameOf(digest) } });
  }
  return (authorization) => {
    const [, token = ""] = /^Bearer (\S+)$/i.exec(authorization ?? "") ?? [];
    const digest = digestOf(token);
    // All are compared, each in the same time: how long it takes tells nothing.
    const found = known.filter((each) => timingSafeEqual(each.digest, digest));
    if (found[0] === undefined) {
      throw new AppError("unauthorised", "an operator's token is needed: send it as `Authorization: Bearer <token>`");
    }
    return found[0].operator;
  };
};

/** Tells tokens apart in the audit log, and gives none away. */
const nameOf = (digest: Buffer): string => digest.toString("hex").slice(0, 8);

/** An org admin sees and changes their own tenant only. */
export const mayManage = (operator: Operator, tenant: string): boolean =>
  operator.role === "platform_admin" || operator.tenant === tenant;
