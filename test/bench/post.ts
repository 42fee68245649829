import type { Agent } from "node:http";
import { request } from "node:http";

/** Resolves when the response is a success. */
export const post = (
  agent: Agent,
  url: string,
  headers: Record<string, string | number>,
  body: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const length = { "content-length": Buffer.byteLength(body) };
    const sent = request(url, { method: "POST", agent, headers: { ...headers, ...length } }, (response) => {
      const { statusCode = 0 } = response;
      response.resume().on("end", () => {
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`a post to ${url} was answered with ${statusCode}`));
      });
    });
    sent.on("error", reject).end(body);
  });
