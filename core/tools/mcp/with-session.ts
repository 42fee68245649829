import { AppError } from "../../contract/app-error.ts";
import { type Connection, ServerFailed } from "./client/connection.ts";
import type { McpServer } from "./mcp-server.ts";

/** Runs a request of a tool. A failure of the server becomes a text for the model. */
export const withSession = async <T>(server: McpServer, work: (connection: Connection) => Promise<T>): Promise<T> => {
  let hasStarted = false;
  try {
    return await server.use((connection) => {
      hasStarted = true;
      return work(connection);
    });
  } catch (error) {
    if (!(error instanceof ServerFailed)) throw error;
    const outcome = hasStarted && error.code !== "bad-input" ? " The call may or may not have taken effect." : "";
    throw new AppError(error.code, `The tool server ${server.name} failed: ${error.detail}.${outcome}`, {
      cause: error,
    });
  }
};
