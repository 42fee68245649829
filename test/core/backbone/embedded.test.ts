import { busContract } from "../../contract/bus.contract.ts";
import { busCrashesContract } from "../../contract/bus-crashes.contract.ts";
import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { storeContract } from "../../contract/store.contract.ts";

storeContract(embeddedHarness);
busContract(embeddedHarness);
busCrashesContract(embeddedHarness);
