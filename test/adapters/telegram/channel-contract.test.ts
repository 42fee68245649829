import { channelAdapterContract } from "../../contract/channel-adapter.contract.ts";
import { telegramHarness } from "./telegram-harness.ts";

channelAdapterContract("telegram with polling", telegramHarness("polling"));
channelAdapterContract("telegram with a webhook", telegramHarness("webhook"));
