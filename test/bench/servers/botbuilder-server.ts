import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ActivityHandler, CloudAdapter, ConfigurationBotFrameworkAuthentication } from "botbuilder";
import type { ServiceClientCredentialsFactory } from "botframework-connector";
import { answerQuestions } from "./answer-questions.ts";
import { echoOf } from "./echo-text.ts";

/**
 * The SDK as in its documentation: it checks the token, echoes if a token for the connector is given, and acknowledges.
 * The token comes from the bench, because the SDK requests one by https only, which the local Teams does not have.
 */
const [appId = "", openIdMetadataUrl = "", connectorToken = ""] = process.argv.slice(2);
const options = {
  MicrosoftAppId: appId,
  MicrosoftAppPassword: "unused",
  MicrosoftAppType: "MultiTenant",
  ToBotFromChannelOpenIdMetadataUrl: openIdMetadataUrl,
  ToBotFromEmulatorOpenIdMetadataUrl: openIdMetadataUrl,
  ToBotFromChannelTokenIssuer: "https://api.botframework.com",
  ToChannelFromBotLoginUrl: "https://login.microsoftonline.com/botframework.com",
  ToChannelFromBotOAuthScope: "https://api.botframework.com",
  OAuthUrl: "https://api.botframework.com",
  ValidateAuthority: "true",
};
const signedIn: ServiceClientCredentialsFactory = {
  isValidAppId: async (id: string) => id === appId,
  isAuthenticationDisabled: async () => false,
  createCredentials: async () => ({
    async signRequest(request) {
      request.headers.set("authorization", `Bearer ${connectorToken}`);
      return request;
    },
  }),
};
const authentication = connectorToken
  ? new ConfigurationBotFrameworkAuthentication(options, signedIn)
  : new ConfigurationBotFrameworkAuthentication(options);
const adapter = new CloudAdapter(authentication);
const bot = new ActivityHandler();
bot.onMessage(async (context, next) => {
  if (connectorToken) await context.sendActivity(echoOf(context.activity.text));
  await next();
});

/** The form that the SDK expects from a web framework. */
const responseFor = (response: ServerResponse) => ({
  socket: response.socket,
  status(code: number) {
    response.statusCode = code;
    return this;
  },
  header(name: string, value: string) {
    response.setHeader(name, value);
    return this;
  },
  send(body: unknown) {
    response.write(typeof body === "string" ? body : JSON.stringify(body));
    return this;
  },
  end(...args: unknown[]) {
    response.end(...(args as []));
    return this;
  },
});

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = JSON.parse(await text(request)) as Record<string, unknown>;
  const asked = { body, headers: request.headers, method: request.method ?? "" };
  await adapter.process(asked, responseFor(response), (context) => bot.run(context));
};
const server = createServer((request, response) => void serve(request, response));
await once(server.listen(0, "127.0.0.1"), "listening");

answerQuestions((server.address() as AddressInfo).port, {}, async () => {
  server.close();
  server.closeAllConnections();
});
