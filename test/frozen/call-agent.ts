import { CALLER_TOKEN } from "./frozen-config.ts";

interface Call {
  readonly message?: {
    readonly messageId: string;
    readonly contextId: string;
    readonly text: string;
    readonly skill: string;
  };
  readonly taskId?: string;
  readonly hookUrl?: string;
  /** Do not wait for the answer. */
  readonly atOnce?: boolean;
}

/** Calls our agent as another deployment does: JSON-RPC of A2A 1.0, with its own trace. */
export const callAgent = async (
  address: string,
  method: "SendMessage" | "GetTask" | "CancelTask" | "ListTasks",
  { message, taskId, hookUrl, atOnce }: Call = {},
): Promise<ReturnType<typeof JSON.parse>> => {
  const params = {
    ...(taskId !== undefined && { id: taskId }),
    ...(message && {
      message: {
        messageId: message.messageId,
        contextId: message.contextId,
        role: "ROLE_USER",
        parts: [{ text: message.text }],
        metadata: { skill: message.skill },
      },
      configuration: {
        ...(atOnce && { returnImmediately: true }),
        ...(hookUrl !== undefined && { taskPushNotificationConfig: { url: hookUrl, token: "hook-token" } }),
      },
    }),
  };
  const response = await fetch(`${address}/a2a/mooring`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${CALLER_TOKEN}`,
      "a2a-version": "1.0",
      "content-type": "application/json",
      traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer = JSON.parse(await response.text());
  if (answer.error) throw new Error(`${method} was refused: ${JSON.stringify(answer.error)}`);
  return answer.result;
};
