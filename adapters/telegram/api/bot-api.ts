import { z } from "zod";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { textFetch } from "../../contract/text-fetch.ts";
import { failureOfConnection, failureOfRefusal } from "./failure.ts";

export interface UploadedFile {
  /** The name of the form field. */
  readonly field: string;
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

export interface CallOptions {
  readonly files?: readonly UploadedFile[];
  /** More than usual, for long polling. */
  readonly timeoutMs?: number;
  /** Aborts this call in addition to `abort`. */
  readonly signal?: AbortSignal;
}

const Answer = z.looseObject({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().default(""),
  parameters: z
    .looseObject({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
    .optional(),
});

/** The Bot API over plain HTTP. Rejects with DeliveryFailed only; retries nothing, because the outbox does. */
export class BotApi {
  readonly #apiUrl: string;
  readonly #token: string;
  readonly #timeoutMs: number;
  #aborter = new AbortController();
  #textFetch: typeof fetch;

  constructor({ apiUrl, token, timeoutMs }: { apiUrl: string; token: string; timeoutMs: number }) {
    this.#apiUrl = apiUrl.replace(/\/+$/, "");
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#textFetch = textFetch({ timeoutMs, signal: this.#aborter.signal });
  }

  /** Calls a method and checks its result. */
  async call<T>(result: z.ZodType<T>, method: string, body: object = {}, options: CallOptions = {}): Promise<T> {
    const { response, answer } = await this.#request(method, body, options);
    if (!answer.ok) {
      const { retry_after: retryAfterS, migrate_to_chat_id: migrateTo } = answer.parameters ?? {};
      throw failureOfRefusal({ status: response.status, description: answer.description, retryAfterS, migrateTo });
    }
    const parsed = result.safeParse(answer.result);
    if (!parsed.success) throw new DeliveryFailed("unknown", `Telegram answered ${method} in an unknown form`);
    return parsed.data;
  }

  /** Calls a method whose result has no use. */
  async send(method: string, body: object, options: CallOptions = {}): Promise<void> {
    await this.call(z.unknown(), method, body, options);
  }

  /** The content of a file, by the path that `getFile` returns. */
  async download(path: string): Promise<Response> {
    try {
      const url = `${this.#apiUrl}/file/bot${this.#token}/${path.split("/").map(encodeURIComponent).join("/")}`;
      return await fetch(url, { redirect: "error", signal: this.#signalFor({}) });
    } catch (error) {
      throw failureOfConnection(error, this.#token);
    }
  }

  /** Ends all calls in progress, and later ones until `reopen`. */
  abort(): void {
    this.#aborter.abort();
  }

  reopen(): void {
    if (!this.#aborter.signal.aborted) return;
    this.#aborter = new AbortController();
    this.#textFetch = textFetch({ timeoutMs: this.#timeoutMs, signal: this.#aborter.signal });
  }

  async #request(method: string, body: object, options: CallOptions) {
    let response: Response;
    let text: string;
    try {
      const { files, timeoutMs, signal } = options;
      const isUsual = files === undefined && timeoutMs === undefined && signal === undefined;
      const send = isUsual ? this.#textFetch : fetch;
      response = await send(`${this.#apiUrl}/bot${this.#token}/${method}`, {
        method: "POST",
        redirect: "error",
        ...(!isUsual && { signal: this.#signalFor(options) }),
        ...(files ? { body: formOf(body, files) } : jsonOf(body)),
      });
      text = await response.text();
    } catch (error) {
      throw failureOfConnection(error, this.#token);
    }
    const answer = answerIn(text);
    // A proxy in front of Telegram answers with a page instead of JSON.
    return {
      response,
      answer: answer ?? { ok: false, description: `status ${response.status}`, parameters: undefined },
    };
  }

  #signalFor({ timeoutMs = this.#timeoutMs, signal }: CallOptions): AbortSignal {
    return AbortSignal.any([this.#aborter.signal, AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  }
}

const answerIn = (text: string): z.infer<typeof Answer> | undefined => {
  try {
    return Answer.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const jsonOf = (body: object) => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** https://core.telegram.org/bots/api#sending-files */
const formOf = (body: object, files: readonly UploadedFile[]): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value !== undefined) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  for (const { field, name, mediaType, content } of files) {
    form.set(field, new Blob([content as Uint8Array<ArrayBuffer>], { type: mediaType }), name);
  }
  return form;
};
