import { channelAdapterContract } from "../../contract/channel-adapter.contract.ts";
import { teamsHarness } from "./teams-harness.ts";

channelAdapterContract("teams", teamsHarness);
