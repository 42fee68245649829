import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { runClaimContract } from "./run-claim.ts";

runClaimContract(embeddedHarness);
