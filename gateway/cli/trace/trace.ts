import { readFile } from "node:fs/promises";
import { loadConfig } from "../../../config/index.ts";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import { publicUrl } from "../../public-url.ts";
import { fetchTrace } from "./fetch-trace.ts";
import { operatorToken } from "./operator-token.ts";
import { timeline } from "./timeline.ts";

export interface TraceOptions {
  readonly id: string;
  readonly file: string | undefined;
  /** Of a gateway that runs; without it, the one that the configuration describes. */
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly agent: string | undefined;
  readonly json: boolean;
}

/** What came of a message, as text or as JSON. The configuration is read only for what no flag says. */
export const trace = async ({ id, file, url, tokenFile, agent, json }: TraceOptions): Promise<string> => {
  const gateway = url ?? publicUrl(loadConfig({ file }).gateway);
  if (!/^https?:\/\//.test(gateway) || !URL.canParse(gateway)) {
    throw new AppError("bad-input", `--url ${gateway} is no address such as http://localhost:8080`);
  }
  const token = tokenFile === undefined ? await operatorToken(loadConfig({ file })) : await tokenIn(tokenFile);
  const found = await fetchTrace({ gateway, token, id, agent });
  return json ? `${JSON.stringify(found, null, 2)}\n` : timeline(found);
};

const tokenIn = async (file: string): Promise<string> => {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new AppError("bad-input", `--token-file ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const token = text.trim();
  if (/^\S+$/.test(token)) return token;
  throw new AppError("bad-input", `--token-file ${file} holds no token: one line, without spaces`);
};
