import { AppError } from "../../../core/contract/app-error.ts";
import { Trace } from "../../admin-api/index.ts";
import { OperatorClient, type OperatorOptions } from "../operator-client.ts";
import { timeline } from "./timeline.ts";

export interface TraceOptions extends OperatorOptions {
  readonly id: string;
  readonly agent: string | undefined;
  readonly json: boolean;
}

/** Prints the trace of a message, as text or JSON. */
export const trace = async ({ id, agent, json, ...options }: TraceOptions): Promise<string> => {
  const client = await OperatorClient.open(options);
  const query = agent === undefined ? "" : `?${new URLSearchParams({ agent })}`;
  const found = await client.ask("GET", `traces/${encodeURIComponent(id)}${query}`).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "not-found") throw error;
    throw new AppError("not-found", `${id}: ${error.message}. Work of other tenants is not shown`);
  });
  // The answer is printed unparsed, so that --json also prints fields of a newer gateway.
  if (!Trace.safeParse(found).success) throw client.notMooring();
  return json ? `${JSON.stringify(found, null, 2)}\n` : timeline(found as Trace);
};
