import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, messageOf } from "../core/contract/app-error.ts";

const FILE = "admin-token";

/** The operator token of a deployment that configures none. The first start creates it in dataDir. */
export const ensureAdminToken = async (dataDir: string): Promise<{ file: string; token: string }> => {
  const { file, token } = await readAdminToken(dataDir);
  return { file, token: token ?? (await createToken(dataDir, file)) };
};

/** The token is undefined if no start has created it yet. */
export const readAdminToken = async (dataDir: string): Promise<{ file: string; token: string | undefined }> => {
  const file = join(dataDir, FILE);
  return { file, token: await readToken(file) };
};

const readToken = async (file: string): Promise<string | undefined> => {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw new AppError("data-unusable", `could not read ${file} (${codeOf(error)}): give its owner read permission`, {
      cause: error,
    });
  });
  if (text === undefined) return undefined;
  const token = text.trim();
  if (token.length < 16)
    throw new AppError("data-unusable", `${file} does not contain a token: delete it, then the next start creates one`);
  return token;
};

/** Links a temporary file into place, so that neither a crash nor a concurrent start leaves a partial token. */
const createToken = async (dataDir: string, file: string): Promise<string> => {
  const token = randomBytes(32).toString("base64url");
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${token}\n`, { flag: "wx", mode: 0o600, flush: true });
    await link(temporary, file);
    return token;
  } catch (error) {
    const code = codeOf(error);
    const existing = code === "EEXIST" ? await readToken(file) : undefined;
    if (existing !== undefined) return existing;
    throw new AppError(
      "data-unusable",
      `could not write to ${dataDir} (${code}): make it writable, or set another dataDir`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
