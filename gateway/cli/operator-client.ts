import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type Config, loadConfig } from "../../config/index.ts";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Refusal } from "../admin-api/index.ts";
import { readAdminToken } from "../admin-token.ts";
import { publicUrl } from "../public-url.ts";

const TIMEOUT_MS = 30_000;

/** The running gateway that a command asks, and the operator's token for it. */
export interface OperatorOptions {
  readonly file: string | undefined;
  /** A running gateway; defaults to the gateway of the configuration. */
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Calls the admin API of a running gateway. The configuration is read only if the options are not sufficient. */
export class OperatorClient {
  readonly gateway: string;
  readonly #token: string;

  private constructor(gateway: string, token: string) {
    this.gateway = gateway;
    this.#token = token;
  }

  static async open({ file, url, tokenFile }: OperatorOptions): Promise<OperatorClient> {
    const gateway = url ?? publicUrl((await loadConfig({ file })).gateway);
    if (!/^https?:\/\//.test(gateway) || !URL.canParse(gateway)) {
      throw new AppError(
        "bad-input",
        `--url ${gateway} must be an http or https address such as http://localhost:8080`,
      );
    }
    const token = tokenFile === undefined ? await operatorToken(await loadConfig({ file })) : await tokenIn(tokenFile);
    return new OperatorClient(gateway, token);
  }

  /** Resolves to the body of a successful answer; otherwise rejects with what to do. */
  async ask(method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
    const answer = await this.#send(method, path, body);
    if (answer.status === 200) return answer.body;
    const refusal = RefusalBody.safeParse(answer.body).data?.error;
    if (refusal === undefined) throw this.notMooring();
    if (answer.status === 401) {
      throw new AppError(
        "unauthorised",
        `the gateway at ${this.gateway} does not accept the operator's token: use the configuration of that gateway ` +
          "(--config), or pass a file with one of its tokens (--token-file)",
      );
    }
    if (answer.status === 404) throw new AppError("not-found", refusal.message);
    const code = answer.status === 403 ? "forbidden" : "unavailable";
    throw new AppError(code, `the gateway at ${this.gateway}: ${refusal.message}`);
  }

  notMooring(): AppError {
    return new AppError(
      "bad-input",
      `the server at ${this.gateway} is not a Mooring gateway of this version: set the address of the gateway with --url`,
    );
  }

  async #send(method: string, path: string, body: object | undefined): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const url = `${this.gateway.replace(/\/$/, "")}/admin/api/${path}`;
    try {
      const init = { method, headers, signal, redirect: "error" as const, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(url, init);
      return { status: response.status, body: asJson(await response.text()) };
    } catch (error) {
      const why = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
      const advice = "start it, or set another address with --url";
      throw new AppError("unavailable", `no gateway answers at ${this.gateway} (${why}): ${advice}`, { cause: error });
    }
  }
}

const RefusalBody = z.object({ error: z.object({ message: z.string() }) }) satisfies z.ZodType<{
  error: Pick<Refusal["error"], "message">;
}>;

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
