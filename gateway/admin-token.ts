import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../core/contract/app-error.ts";

const FILE = "admin-token";

/** The token of operators where none is configured: made at the first start, kept in dataDir, readable by its owner only. */
export const ensureAdminToken = async (dataDir: string): Promise<{ file: string; token: string }> => {
  const file = join(dataDir, FILE);
  const token = (await readToken(file)) ?? (await makeToken(dataDir, file));
  return { file, token };
};

const readToken = async (file: string): Promise<string | undefined> => {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new AppError("data-unusable", `${file} cannot be read (${error.code}): give its owner the right to`, {
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
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const handle = await open(aside, "wx", 0o600);
  try {
    await handle.writeFile(`${token}\n`);
    await handle.sync();
    await link(aside, file);
    return token;
  } catch (error) {
    const theirs = (error as NodeJS.ErrnoException).code === "EEXIST" ? await readToken(file) : undefined;
    if (theirs === undefined) throw error;
    return theirs;
  } finally {
    await handle.close();
    await rm(aside, { force: true });
  }
};
