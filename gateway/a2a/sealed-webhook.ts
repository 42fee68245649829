import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { Webhook } from "../../core/a2a/inbound/index.ts";
import type { DeploymentIdentity } from "../../core/a2a/index.ts";
import { AppError } from "../../core/contract/app-error.ts";

type Key = Pick<DeploymentIdentity, "key">;

const SEALED = "sealed:";
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** With its secrets as they are stored: unreadable without the deployment's key, and of use for this address only. */
export const sealWebhook = (key: Key, webhook: Webhook): Webhook =>
  withSecrets(webhook, (text) => seal(key, webhook.url, text));

/** As the caller gave it. */
export const openWebhook = (key: Key, webhook: Webhook): Webhook =>
  withSecrets(webhook, (text) => (text.startsWith(SEALED) ? open(key, webhook.url, text) : text));

const withSecrets = (webhook: Webhook, change: (text: string) => string): Webhook => {
  const { token, authentication } = webhook;
  return {
    ...webhook,
    ...(token !== undefined && { token: change(token) }),
    ...(authentication && { authentication: { ...authentication, credentials: change(authentication.credentials) } }),
  };
};

/** The same for the same words, so that a webhook that is given twice is known as one. */
const seal = ({ key }: Key, url: string, text: string): string => {
  const iv = createHmac("sha256", key)
    .update(JSON.stringify(["webhook", url, text]))
    .digest()
    .subarray(0, IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(url));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${SEALED}${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
};

const open = ({ key }: Key, url: string, text: string): string => {
  const bytes = Buffer.from(text.slice(SEALED.length), "base64url");
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(url));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    throw new AppError(
      "data-unusable",
      "a webhook's secret was sealed with another key: set a2a.webhookKey back, or have the caller give it again",
    );
  }
};
