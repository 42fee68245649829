import { z } from "zod";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import { type Refusal, Trace } from "../../admin-api/index.ts";

interface TraceRequest {
  readonly gateway: string;
  readonly token: string;
  readonly id: string;
  readonly agent?: string | undefined;
}

const TIMEOUT_MS = 30_000;

/** Requests a trace from a running gateway. Errors say what to do. */
export const fetchTrace = async ({ gateway, token, id, agent }: TraceRequest): Promise<Trace> => {
  const url = new URL(`${gateway.replace(/\/$/, "")}/admin/api/traces/${encodeURIComponent(id)}`);
  if (agent !== undefined) url.searchParams.set("agent", agent);
  const { status, body } = await ask(gateway, url, token);
  if (status === 200) {
    // The answer is returned unparsed, so that --json also prints fields of a newer gateway.
    if (Trace.safeParse(body).success) return body as Trace;
    throw notMooring(gateway);
  }
  const refusal = RefusalBody.safeParse(body).data?.error;
  if (refusal === undefined) throw notMooring(gateway);
  if (status === 401) {
    throw new AppError(
      "unauthorised",
      `the gateway at ${gateway} does not accept the operator's token: use the configuration of that gateway ` +
        "(--config), or pass a file with one of its tokens (--token-file)",
    );
  }
  if (status === 404) {
    throw new AppError("not-found", `${id}: ${refusal.message}. Work of other tenants is not shown`);
  }
  throw new AppError(status === 403 ? "forbidden" : "unavailable", `the gateway at ${gateway}: ${refusal.message}`);
};

const RefusalBody = z.object({ error: z.object({ message: z.string() }) }) satisfies z.ZodType<{
  error: Pick<Refusal["error"], "message">;
}>;

const ask = async (gateway: string, url: URL, token: string): Promise<{ status: number; body: unknown }> => {
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    const text = await response.text();
    return { status: response.status, body: asJson(text) };
  } catch (error) {
    const why = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
    const advice = "start it, or set another address with --url";
    throw new AppError("unavailable", `no gateway answers at ${gateway} (${why}): ${advice}`, { cause: error });
  }
};

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const notMooring = (gateway: string): AppError =>
  new AppError(
    "bad-input",
    `the server at ${gateway} is not a Mooring gateway of this version: set the address of the gateway with --url`,
  );
