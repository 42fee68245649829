import { eventsIn } from "./events-in.ts";
import { Refused } from "./refused.ts";

export type Query = Readonly<Record<string, string | undefined>>;

/** Speaks the admin API with an operator's token. */
export class AdminClient {
  readonly #token: string;
  readonly #turnedAway: () => void;

  /** `turnedAway` is called when the token is no longer accepted. */
  constructor(token: string, turnedAway: () => void) {
    this.#token = token;
    this.#turnedAway = turnedAway;
  }

  async get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return (await this.#ask("GET", withQuery(path, query), { signal })).json() as Promise<T>;
  }

  async post<T>(path: string, body?: object): Promise<T> {
    return (await this.#ask("POST", path, { body })).json() as Promise<T>;
  }

  async patch<T>(path: string, body: object): Promise<T> {
    return (await this.#ask("PATCH", path, { body })).json() as Promise<T>;
  }

  /** Each event as it comes; ends when the gateway ends it. */
  async *follow<T>(path: string, query: Query, signal: AbortSignal): AsyncGenerator<T> {
    const { body } = await this.#ask("GET", withQuery(path, query), { signal, accept: "text/event-stream" });
    if (body === null) return;
    for await (const data of eventsIn(body)) yield JSON.parse(data) as T;
  }

  async #ask(
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
    const asked = { method, headers, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) };
    const response = await fetch(`/admin/api/${path}`, asked).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new Refused(0, "the gateway does not answer");
    });
    if (response.ok) return response;
    if (response.status === 401) this.#turnedAway();
    throw await refusalIn(response);
  }
}

const refusalIn = async (response: Response): Promise<Refused> => {
  const { error, expect }: { error?: { message?: string }; expect?: string[] } = await response
    .json()
    .catch(() => ({}));
  return new Refused(response.status, error?.message ?? `the gateway answered ${response.status}`, expect);
};

const withQuery = (path: string, query: Query): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};
