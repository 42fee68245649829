import type { Config } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { readAdminToken } from "../../admin-token.ts";

/** The token to send: a platform admin's or another of the configuration, else the one that the first start created. */
export const operatorToken = async ({ admin, dataDir }: Pick<Config, "admin" | "dataDir">): Promise<string> => {
  const inClear = admin.tokens.filter(({ token }) => !/^sha256:/i.test(token.reveal()));
  const configured = inClear.find(({ role }) => role === "platform_admin") ?? inClear[0];
  if (configured !== undefined) return configured.token.reveal();
  if (admin.tokens.length > 0) {
    throw new AppError(
      "unauthorised",
      "the configuration has digests of operators' tokens only: give a file with a token (--token-file)",
    );
  }
  const { file, token } = await readAdminToken(dataDir);
  if (token !== undefined) return token;
  throw new AppError(
    "unauthorised",
    `there is no operator's token: the configuration has none under admin.tokens, and ${file} is not there. ` +
      "Start Mooring once in this directory, name its configuration with --config, or give a file with --token-file",
  );
};
