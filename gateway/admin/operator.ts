import { timingSafeEqual } from "node:crypto";
import type { AdminConfig } from "../../config/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { bearerToken, configuredDigest, digestOf } from "../http/index.ts";

/** Runs the deployment, or one tenant of it. */
export type Operator = { readonly token: string } & (
  | { readonly role: "platform_admin" }
  | { readonly role: "org_admin"; readonly tenant: string }
);

/** Identifies an operator by the Authorization header. Throws "unauthorised" without a valid bearer token. */
export type OperatorCheck = (authorization: string | undefined) => Operator;

/** Without configured tokens, the token that the first start created is a platform admin's. */
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
    const token = bearerToken(authorization);
    const digest = digestOf(token ?? "");
    // Compares all digests in constant time, so that the duration reveals nothing.
    const found = known.filter((each) => timingSafeEqual(each.digest, digest));
    // A missing token never matches, even the digest of an empty text.
    if (token === undefined || found[0] === undefined) {
      throw new AppError("unauthorised", "an operator's token is required: send it as `Authorization: Bearer <token>`");
    }
    return found[0].operator;
  };
};

/** Distinguishes tokens in the audit log without revealing them. */
const nameOf = (digest: Buffer): string => digest.toString("hex").slice(0, 8);

/** An org admin sees and changes their own tenant only. */
export const mayManage = (operator: Operator, tenant: string): boolean =>
  operator.role === "platform_admin" || operator.tenant === tenant;
