#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import type { runCli } from "../run-cli.ts";
import { CompiledScripts } from "./compiled-scripts.ts";
import { saveWhenWarm } from "./save-when-warm.ts";

const SERVERS: readonly unknown[] = ["start", "gateway", "core"];

const args = process.argv.slice(2);
const scripts = new CompiledScripts(fileURLToPath(new URL(".", import.meta.url)));
// Other commands end before most functions of the files that they share with a server have run.
if (SERVERS.includes(args[0])) saveWhenWarm(scripts);
const program = scripts.load("run-cli.cjs") as { readonly runCli: typeof runCli };
process.exitCode = await program.runCli(args);
