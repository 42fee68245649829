import { z } from "zod";
import { AppError, messageOf } from "../../contract/app-error.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { cutToBytes, readWithin, stableId } from "../../lib/index.ts";
import { secretHider } from "../hide-secrets.ts";
import type { HttpToolConfig } from "./config.ts";
import { expandUrl, placeholdersOf } from "./url-template.ts";

type Input = Readonly<Record<string, unknown>>;

/** A tool that is one request to a service of the operator (T1). */
export const httpTool = (config: HttpToolConfig): Tool => {
  const { name, description, method, input, timeoutMs } = config;
  const isDelete = method === "DELETE";
  const { approval = isDelete ? "ask" : "never", destructive = isDelete, repeatable = method === "GET" } = config;
  const { headers: _, ...definition } = config;
  const hide = secretHider(config);
  return {
    name,
    description,
    input: z.fromJSONSchema(input as Parameters<typeof z.fromJSONSchema>[0]),
    inputSchema: input,
    needs: `tool:${name}`,
    repeatable,
    hasEffects: method !== "GET",
    deadlineMs: timeoutMs,
    ...(approval === "ask" && {
      approval: { isDestructive: destructive, definition: stableId("tool", JSON.stringify(definition)) },
    }),
    run: (given, context) => request(config, given as Input, context, hide),
  };
};

/** The operator chose the host, so it may be private. Redirects are not followed: they could leave the host. */
const request = async (
  config: HttpToolConfig,
  input: Input,
  context: ToolContext,
  hide: (text: string) => string,
): Promise<string | ToolOutput> => {
  const { url, init } = requestFor(config, input, context.idempotencyKey);
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: "manual", signal: context.signal });
  } catch (error) {
    context.signal.throwIfAborted();
    const { cause } = error as { cause?: unknown };
    throw new AppError("unavailable", `${url.host} could not be reached (${messageOf(cause ?? error)})`);
  }
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    throw new AppError("unavailable", `${url.host} redirects elsewhere (HTTP ${status}), which is not followed`);
  }
  const bytes = await readWithin(response, config.maxBytes);
  const type = response.headers.get("content-type") ?? "";
  const text = isText(type) || bytes.length === 0 ? hide(decode(bytes, type)) : undefined;
  if (status >= 400) throw new AppError("unavailable", `${url.host} answered HTTP ${status}: ${excerpt(text)}`);
  if (text !== undefined) return text === "" ? `HTTP ${status}, without content` : text;
  const [mediaType = ""] = type.split(";");
  return { text: `HTTP ${status}`, files: [{ name: fileNameOf(url), mediaType: mediaType.trim() || UNKNOWN, bytes }] };
};

const UNKNOWN = "application/octet-stream";

/** Arguments that are not part of the address go to the query or to the body; undeclared ones are dropped. */
export const requestFor = (
  { method, url: template, headers, input: { properties } }: HttpToolConfig,
  input: Input,
  idempotencyKey: string,
): { readonly url: URL; readonly init: RequestInit } => {
  const url = expandUrl(template, input);
  const inUrl = placeholdersOf(template);
  const rest = Object.entries(input).filter(
    ([name, value]) => Object.hasOwn(properties, name) && !inUrl.includes(name) && value !== undefined,
  );
  const hasBody = method !== "GET" && method !== "DELETE";
  if (!hasBody)
    for (const [name, value] of rest) for (const one of [value].flat()) url.searchParams.append(name, shown(one));
  return {
    url,
    init: {
      method,
      headers: {
        accept: "application/json, text/plain;q=0.9, */*;q=0.5",
        ...(method !== "GET" && { "idempotency-key": idempotencyKey }),
        ...(hasBody && { "content-type": "application/json" }),
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.reveal()])),
      },
      ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
    },
  };
};

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const isText = (type: string): boolean => /^text\/|[/+](json|xml|yaml|x-ndjson|javascript)\b/i.test(type);

const decode = (bytes: Uint8Array, type: string): string => {
  const [, charset = "utf-8"] = /charset="?([\w-]+)/i.exec(type) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
};

const EXCERPT_BYTES = 2_000;
const excerpt = (text: string | undefined): string => cutToBytes(text?.trim() || "(no text)", EXCERPT_BYTES);

const fileNameOf = ({ pathname }: URL): string => pathname.split("/").at(-1)?.slice(0, 100) || "download";
