import type { Config } from "../../../config/config.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { readAdminToken } from "../../admin-token.ts";

/** The token to ask with: the configuration's, of whoever sees most, else the one that the first start has made. */
export const operatorToken = async ({ admin, dataDir }: Pick<Config, "admin" | "dataDir">): Promise<string> => {
  const configured = admin.tokens.find(({ role }) => role === "platform_admin") ?? admin.tokens[0];
  if (configured !== undefined) return configured.token.reveal();
  const { file, token } = await readAdminToken(dataDir);
  if (token !== undefined) return token;
  throw new AppError(
    "unauthorised",
    `there is no operator's token: the configuration has none under admin.tokens, and ${file} is not there. ` +
      "Start Mooring once in this directory, name its configuration with --config, or give a file with --token-file",
  );
};
