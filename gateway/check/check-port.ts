import type { Config } from "../../config/config.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import { createReadiness, openHttpListener } from "../http/index.ts";
import type { Finding } from "./finding.ts";

/** A port in use is only a note: it may well be Mooring that uses it. */
export const checkPort = async ({ gateway }: Config): Promise<Finding> => {
  const subject = "port";
  try {
    const listener = await openHttpListener(gateway, createReadiness());
    await listener.close();
    return { verdict: "ok", subject, text: `${gateway.host}:${gateway.port} is free` };
  } catch (error) {
    return { verdict: "note", subject, text: `${messageOf(error)} (fine if that is Mooring itself)` };
  }
};
