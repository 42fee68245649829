import { OPERATOR_TOKEN } from "./frozen-config.ts";

export type Answer = ReturnType<typeof JSON.parse>;

/** Calls the admin API as an operator; rejects for every response except a success. */
export const askAdmin = async (
  address: string,
  path: string,
  method: "GET" | "POST" | "PATCH" = "GET",
  body?: object,
): Promise<Answer> => {
  const response = await fetch(`${address}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return JSON.parse(text);
};
