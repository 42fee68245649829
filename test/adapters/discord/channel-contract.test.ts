import { channelAdapterContract } from "../../contract/channel-adapter.contract.ts";
import { discordHarness } from "./discord-harness.ts";

channelAdapterContract("discord", discordHarness);
