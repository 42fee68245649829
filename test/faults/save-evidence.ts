import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Product } from "./product.ts";

/** Saves the logs of the processes and, on a cluster, the stored state after a failure. Returns the folder. */
export const saveEvidence = async (product: Product): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "mooring-soak-"));
  await writeFile(join(folder, "processes.log"), product.logs());
  await writeFile(join(folder, "stored.log"), await product.storedState().catch(String));
  return folder;
};
