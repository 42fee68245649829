import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { collection, keyOf, type Store } from "../../core/contract/ports/store.ts";
import { createOrRead } from "../../core/contract/ports/update.ts";

const secrets = collection("owner-secret", z.looseObject({ secret: z.base64url() }));
const secretKey = keyOf(secrets, "owner");

export const ownerSecretFile = (dataDir: string): string => join(dataDir, "owner-secret");

/** The secret that all gateways share. The first one creates it; each writes it to its dataDir for `mooring chat`. */
export const loadOwnerSecret = async (store: Store, dataDir: string, logger: Logger): Promise<Buffer> => {
  const stored = await store.get(secretKey);
  const { value } = stored ?? (await createOrRead(store, secretKey, { secret: randomBytes(32).toString("base64url") }));
  const file = ownerSecretFile(dataDir);
  await writeSecret(dataDir, file, value.secret).catch((error: unknown) => {
    const advice = "make dataDir writable, or use one-time links only";
    logger.warn({ file, error: messageOf(error), advice }, "could not write the owner secret");
  });
  return Buffer.from(value.secret, "base64url");
};

/** Replaces the file, so that neither a crash nor another start leaves a partial one, and its mode is always 0600. */
const writeSecret = async (dataDir: string, file: string, secret: string): Promise<void> => {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${secret}\n`, { flag: "wx", mode: 0o600, flush: true });
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
};

/** The secret for programs on the gateway's machine; undefined if this user cannot read it or no start has made it. */
export const readOwnerSecret = async (dataDir: string): Promise<Buffer | undefined> => {
  const file = ownerSecretFile(dataDir);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return undefined;
    throw new AppError("data-unusable", `could not read ${file} (${error.code}): check dataDir`, { cause: error });
  });
  const secret = Buffer.from(text?.trim() ?? "", "base64url");
  return secret.length === SECRET_BYTES ? secret : undefined;
};

const SECRET_BYTES = 32;
