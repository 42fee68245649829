import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, messageOf } from "../core/contract/app-error.ts";

const FILE = "admin-token";

/** The token of operators where none is configured: made at the first start, kept in dataDir, readable by its owner only. */
export const ensureAdminToken = async (dataDir: string): Promise<{ file: string; token: string }> => {
  const { file, token } = await readAdminToken(dataDir);
  return { file, token: token ?? (await makeToken(dataDir, file)) };
};

/** The same, if it was made already. */
export const readAdminToken = async (dataDir: string): Promise<{ file: string; token: string | undefined }> => {
  const file = join(dataDir, FILE);
  return { file, token: await readToken(file) };
};

const readToken = async (file: string): Promise<string | undefined> => {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw new AppError("data-unusable", `${file} cannot be read (${codeOf(error)}): give its owner the right to`, {
      cause: error,
    });
  });
  if (text === undefined) return undefined;
  const token = text.trim();
  if (token.length < 16)
    throw new AppError("data-unusable", `${file} holds no token: delete it, and a new one is made`);
  return token;
};

/** Written aside and linked into place: a process that dies half-way, or is second, leaves no half a token behind. */
const makeToken = async (dataDir: string, file: string): Promise<string> => {
  const token = randomBytes(32).toString("base64url");
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(aside, `${token}\n`, { flag: "wx", mode: 0o600, flush: true });
    await link(aside, file);
    return token;
  } catch (error) {
    const code = codeOf(error);
    const theirs = code === "EEXIST" ? await readToken(file) : undefined;
    if (theirs !== undefined) return theirs;
    throw new AppError(
      "data-unusable",
      `${dataDir} cannot be written to (${code}): make it so, or set another dataDir`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(aside, { force: true }).catch(() => undefined);
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
