import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { throughput } from "./measure.ts";

export const A2A_TOKEN = "the-token-of-the-bench";

/** An agent that sends questions and waits for each answer, several at a time. Every question is new. */
export class A2aCaller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #url: string;

  constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}/a2a/bench`;
  }

  perSecond(count: number, inFlight: number): Promise<number> {
    return throughput(count, inFlight, () => this.#send());
  }

  leave(): void {
    this.#agent.destroy();
  }

  #send(): Promise<void> {
    const messageId = randomUUID();
    const message = { messageId, role: "ROLE_USER", parts: [{ text: "Please note this down." }] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: messageId, method: "SendMessage", params: { message } });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "a2a-version": "1.0",
      authorization: `Bearer ${A2A_TOKEN}`,
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method: "POST", agent: this.#agent, headers }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        if (text.includes("TASK_STATE_COMPLETED")) resolve();
        else reject(new Error(`a question was answered with ${response.statusCode}: ${text.slice(0, 200)}`));
      });
      sent.on("error", reject).end(body);
    });
  }
}
