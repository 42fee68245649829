import { fileURLToPath } from "node:url";

const FAKE_SERVER = fileURLToPath(new URL("./server.mjs", import.meta.url));

/** The entry of a fake server in a configuration. */
export const fakeServer = (plan: object = {}, rest: object = {}) => ({
  command: process.execPath,
  args: [FAKE_SERVER, JSON.stringify(plan)],
  approval: "never",
  ...rest,
});
