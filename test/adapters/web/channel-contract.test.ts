import { channelAdapterContract } from "../../contract/channel-adapter.contract.ts";
import { webHarness } from "./web-harness.ts";

channelAdapterContract("web", webHarness);
