import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import { RequestMalformedError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import { changeTask, type InboundTask, type TaskDeps, withWebhook } from "../../../core/a2a/inbound/index.ts";
import type { DeploymentIdentity } from "../../../core/a2a/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { InboundTaskAddress } from "../../../core/contract/messages/addresses.ts";
import type { Webhook } from "../../../core/contract/messages/inbound-call.ts";
import { checkAddress } from "../../../core/net/index.ts";

const MAX_WEBHOOKS = 10;

export const addWebhook = async (deps: TaskDeps, address: InboundTaskAddress, webhook: Webhook): Promise<void> => {
  await changeTask(deps, address, (task) => {
    if (task === undefined) throw new TaskNotFoundError();
    const changed = withWebhook(task, webhook);
    if (changed.webhooks.length <= MAX_WEBHOOKS) return changed;
    throw new RequestMalformedError(`a task has at most ${MAX_WEBHOOKS} push notification configurations`);
  });
};

export const removeWebhook = async (deps: TaskDeps, address: InboundTaskAddress, id: string): Promise<void> => {
  await changeTask(deps, address, (task) => {
    if (task === undefined) throw new TaskNotFoundError();
    if (!task.webhooks.some((webhook) => webhook.id === id)) return task;
    return { ...task, webhooks: task.webhooks.filter((webhook) => webhook.id !== id) };
  });
};

export const webhookOnWire = (task: Pick<InboundTask, "id">, webhook: Webhook): TaskPushNotificationConfig => {
  const { id, url, token = "", authentication } = webhook;
  const { scheme = "", credentials = "" } = authentication ?? {};
  return {
    tenant: "",
    id,
    taskId: task.id,
    url,
    token,
    authentication: authentication && { scheme, credentials },
  };
};

type Key = Pick<DeploymentIdentity, "key" | "previousKey">;

const SEALED = "sealed:";
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the secrets for the store with the deployment's key, bound to the webhook's address. */
export const sealWebhook = (key: Key, webhook: Webhook): Webhook =>
  withSecrets(webhook, (text) => seal(key, webhook.url, text));

/** The webhook with decrypted secrets. */
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

/** Deterministic, so that a repeated registration is recognised as a duplicate. */
const seal = ({ key }: Key, url: string, text: string): string => {
  const iv = createHmac("sha256", key)
    .update(JSON.stringify(["webhook", url, text]))
    .digest()
    .subarray(0, IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(url));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${SEALED}${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
};

const open = ({ key, previousKey }: Key, url: string, text: string): string => {
  const opened = openWith(key, url, text) ?? (previousKey && openWith(previousKey, url, text));
  if (opened !== undefined) return opened;
  throw new AppError(
    "data-unusable",
    "a webhook's secret was encrypted with another key: restore a2a.webhookKey, set a2a.previousWebhookKey to that key, or let the caller register the webhook again",
  );
};

/** Undefined if another key has encrypted the text. */
const openWith = (key: Buffer, url: string, text: string): string | undefined => {
  const bytes = Buffer.from(text.slice(SEALED.length), "base64url");
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(url));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
};

const MAX_WEBHOOK_CHARS = 4_000;

/** Checks the address and size of a webhook that a caller registers. `ownId` applies if the caller chose no id. */
export const readWebhook = (
  { id, url, token, authentication }: TaskPushNotificationConfig,
  { version, pushAllow }: { readonly version: string; readonly pushAllow: readonly string[] },
  ownId: string,
): Webhook => {
  try {
    checkAddress(url, pushAllow);
  } catch (error) {
    if (error instanceof AppError) throw new RequestMalformedError(`the push notification's url: ${error.message}`);
    throw error;
  }
  if (`${id}${url}${token}`.length > MAX_WEBHOOK_CHARS)
    throw new RequestMalformedError("the push notification's configuration is too long");
  return {
    id: id || ownId,
    url,
    version,
    ...(token !== "" && { token }),
    ...(authentication && { authentication: { ...authentication } }),
  };
};
