import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { peerGuarantees } from "./peer-guarantees.ts";

peerGuarantees(embeddedHarness);
