import { createHmac } from "node:crypto";

export const IDENTITY_KEY = "the key that the shop's server has too";

export const base64Json = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JWT as a host page's server signs it. */
export const hostToken = (
  claims: object,
  { header = { alg: "HS256", typ: "JWT" }, key = IDENTITY_KEY }: { header?: object; key?: string } = {},
): string => {
  const signed = `${base64Json(header)}.${base64Json(claims)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
};
