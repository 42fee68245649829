import { readFile } from "node:fs/promises";
import { type Config, loadConfig } from "../../../config/index.ts";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import { readAdminToken } from "../../admin-token.ts";
import { publicUrl } from "../../public-url.ts";
import { fetchTrace } from "./fetch-trace.ts";
import { timeline } from "./timeline.ts";

export interface TraceOptions {
  readonly id: string;
  readonly file: string | undefined;
  /** A running gateway; defaults to the gateway of the configuration. */
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly agent: string | undefined;
  readonly json: boolean;
}

/** Prints the trace of a message, as text or JSON. The configuration is read only if the options are not sufficient. */
export const trace = async ({ id, file, url, tokenFile, agent, json }: TraceOptions): Promise<string> => {
  const gateway = url ?? publicUrl(loadConfig({ file }).gateway);
  if (!/^https?:\/\//.test(gateway) || !URL.canParse(gateway)) {
    throw new AppError("bad-input", `--url ${gateway} must be an http or https address such as http://localhost:8080`);
  }
  const token = tokenFile === undefined ? await operatorToken(loadConfig({ file })) : await tokenIn(tokenFile);
  const found = await fetchTrace({ gateway, token, id, agent });
  return json ? `${JSON.stringify(found, null, 2)}\n` : timeline(found);
};

const tokenIn = async (file: string): Promise<string> => {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new AppError("bad-input", `could not read --token-file ${file}: ${messageOf(error)}`, { cause: error });
  });
  const token = text.trim();
  if (/^\S+$/.test(token)) return token;
  throw new AppError("bad-input", `--token-file ${file} must contain one token: one line, without spaces`);
};

/** A configured token, preferably of a platform admin; otherwise the token that the first start created. */
const operatorToken = async ({ admin, dataDir }: Pick<Config, "admin" | "dataDir">): Promise<string> => {
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
