import type { AnswerTo, Endpoint, ParamsOf, Refusal, RequestTo } from "../../../admin-api/index.ts";
import { Refused } from "./refused.ts";

/** The path of an endpoint without its method. */
export type GetPath = PathOf<"GET">;
type PathOf<Method extends string> = Endpoint extends infer E
  ? E extends `${Method} ${infer Path}`
    ? Path
    : never
  : never;

/** The parameters of a path and its query, by name. */
export type Values<P extends GetPath> = ParamsOf<`GET ${P}`> & {
  readonly [K in keyof RequestTo<`GET ${P}`>]?: string | undefined;
};

/** Calls the admin API with an operator's token. */
export class AdminClient {
  readonly #token: string;
  readonly #onUnauthorised: () => void;

  /** `onUnauthorised` is called when the gateway no longer accepts the token. */
  constructor(token: string, onUnauthorised: () => void) {
    this.#token = token;
    this.#onUnauthorised = onUnauthorised;
  }

  async get<P extends GetPath>(path: P, values: Values<P>, signal?: AbortSignal): Promise<AnswerTo<`GET ${P}`>> {
    return (await this.#send("GET", withQuery(path, values), { signal })).json();
  }

  async post<P extends PathOf<"POST">>(
    path: P,
    params: ParamsOf<`POST ${P}`>,
    ...[body]: BodyOf<`POST ${P}`>
  ): Promise<AnswerTo<`POST ${P}`>> {
    return (await this.#send("POST", filled(path, params), { body })).json();
  }

  async patch<P extends PathOf<"PATCH">>(
    path: P,
    params: ParamsOf<`PATCH ${P}`>,
    ...[body]: BodyOf<`PATCH ${P}`>
  ): Promise<AnswerTo<`PATCH ${P}`>> {
    return (await this.#send("PATCH", filled(path, params), { body })).json();
  }

  /** Yields server-sent events until the gateway closes the stream. */
  async *follow<P extends GetPath>(
    path: P,
    values: Values<P>,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerTo<`GET ${P}`>> {
    const { body } = await this.#send("GET", withQuery(path, values), { signal, accept: "text/event-stream" });
    if (body === null) return;
    for await (const data of eventsIn(body)) yield JSON.parse(data);
  }

  async #send(
    method: string,
    path: string,
    {
      body,
      signal,
      accept = "application/json",
    }: { body?: object | undefined; signal?: AbortSignal | undefined; accept?: string },
  ): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      accept,
      ...(body && { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) };
    const response = await fetch(`/admin/api/${path}`, init).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new Refused(0, "the gateway does not answer");
    });
    if (response.ok) return response;
    if (response.status === 401) this.#onUnauthorised();
    throw await refusalIn(response);
  }
}

/** Endpoints without a body take no argument for it. */
type BodyOf<E extends Endpoint> = RequestTo<E> extends undefined ? [] : [body: RequestTo<E> & object];

const refusalIn = async (response: Response): Promise<Refused> => {
  const { error, expect }: Partial<Refusal> = await response.json().catch(() => ({}));
  return new Refused(response.status, error?.message ?? `the gateway answered ${response.status}`, expect);
};

type Texts = Readonly<Record<string, string | undefined>>;

const PARAMETER = /:(\w+)/g;

const filled = (path: string, params: Texts): string =>
  path.replace(PARAMETER, (_, name: string) => encodeURIComponent(params[name] ?? ""));

/** Values that are not in the path go into the query. */
const withQuery = (path: string, values: Texts): string => {
  const inPath = new Set([...path.matchAll(PARAMETER)].map(([, name]) => name));
  const query = Object.entries(values).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !inPath.has(pair[0]),
  );
  const address = filled(path, values);
  return query.length === 0 ? address : `${address}?${new URLSearchParams(query)}`;
};

/** The data of each server-sent event in the body of a response; comments are skipped. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const data = event.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
        if (data.length > 0) yield data.join("\n");
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
