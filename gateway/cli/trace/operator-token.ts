import type { Config } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { readAdminToken } from "../../admin-token.ts";

/** A configured token, preferably of a platform admin; otherwise the token that the first start created. */
export const operatorToken = async ({ admin, dataDir }: Pick<Config, "admin" | "dataDir">): Promise<string> => {
  const inClear = admin.tokens.filter(({ token }) => !/^sha256:/i.test(token.reveal()));
  const configured = inClear.find(({ role }) => role === "platform_admin") ?? inClear[0];
  if (configured !== undefined) return configured.token.reveal();
  if (admin.tokens.length > 0) {
    throw new AppError(
      "unauthorised",
      "the configuration has only digests of operators' tokens: pass a file with a token (--token-file)",
    );
  }
  const { file, token } = await readAdminToken(dataDir);
  if (token !== undefined) return token;
  throw new AppError(
    "unauthorised",
    `no operator's token found: the configuration has none under admin.tokens, and ${file} does not exist. ` +
      "Start Mooring once in this directory, set its configuration with --config, or pass a file with --token-file",
  );
};
