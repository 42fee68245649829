import {
  discoverOAuthServerInfo,
  exchangeAuthorization,
  registerClient,
  startAuthorization,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { checkResourceAllowed } from "@modelcontextprotocol/sdk/shared/auth-utils.js";
import { AppError, messageOf } from "../../../contract/app-error.ts";
import { maskSecrets } from "../../../lib/index.ts";
import { authorizationFetch } from "./authorization-fetch.ts";
import { Client, type Exchange, type Grant, grantOf, type SignInTarget } from "./grant-record.ts";

interface Started {
  readonly url: URL;
  readonly verifier: string;
  readonly exchange: Exchange;
}

interface StartOptions {
  readonly redirectUrl: string;
  readonly state: string;
  /** The grant of an earlier sign-in, whose registered client is used again. */
  readonly known: Grant | undefined;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/** Finds the authorization server of a tool server, registers there if needed, and makes the link for the operator. */
export const startAtServer = async (target: SignInTarget, options: StartOptions): Promise<Started> => {
  const { redirectUrl, state, known, now } = options;
  const fetchFn = authorizationFetch(target);
  const found = await explained("could not find its authorization server", () =>
    discoverOAuthServerInfo(target.url, { fetchFn }),
  );
  const {
    authorizationServerUrl: authorizationServer,
    authorizationServerMetadata: metadata,
    resourceMetadata,
  } = found;
  checkIssuer(target, authorizationServer);
  for (const endpoint of [authorizationServer, ...endpointsOf(metadata ?? {})]) checkEndpoint(target, endpoint);
  const resource = resourceMetadata?.resource;
  if (
    resource !== undefined &&
    !checkResourceAllowed({ requestedResource: target.url, configuredResource: resource })
  ) {
    throw new AppError("bad-input", `it says that it is ${resource}, which is not the configured address`);
  }
  const scope = target.oauth.scope ?? resourceMetadata?.scopes_supported?.join(" ");
  const client =
    configuredClient(target) ??
    (isReusable(known, authorizationServer, redirectUrl, now) ? known.client : undefined) ??
    (await explained(`could not register Mooring (set clientId; its redirect address is ${redirectUrl})`, async () =>
      Client.parse(
        await registerClient(authorizationServer, {
          ...(metadata && { metadata }),
          clientMetadata: clientMetadata(redirectUrl, metadata?.token_endpoint_auth_methods_supported),
          ...(scope !== undefined && { scope }),
          fetchFn,
        }),
      ),
    ));
  const { authorizationUrl: url, codeVerifier: verifier } = await explained("cannot be used", () =>
    startAuthorization(authorizationServer, {
      ...(metadata && { metadata }),
      clientInformation: client,
      redirectUrl,
      state,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    }),
  );
  return { url, verifier, exchange: { authorizationServer, metadata, client, redirectUrl, resource } };
};

/** Exchanges the code that the browser brought back for tokens. */
export const exchangeCode = async (
  target: SignInTarget,
  exchange: Exchange,
  { code, verifier, now }: { readonly code: string; readonly verifier: string; readonly now: number },
): Promise<Grant> => {
  const { authorizationServer, metadata, client, redirectUrl, resource } = exchange;
  const tokens = await explained("did not accept the sign-in", () =>
    exchangeAuthorization(authorizationServer, {
      metadata: metadata as never,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri: redirectUrl,
      ...(resource !== undefined && { resource }),
      fetchFn: authorizationFetch(target),
    }),
  );
  return grantOf(exchange, tokens, now);
};

const configuredClient = ({ oauth: { clientId, clientSecret } }: SignInTarget): Client | undefined =>
  clientId === undefined
    ? undefined
    : { client_id: clientId, ...(clientSecret && { client_secret: clientSecret.reveal() }) };

const isReusable = (
  known: Grant | undefined,
  authorizationServer: string,
  redirectUrl: string,
  now: number,
): known is Grant => {
  const { client_secret_expires_at: expires = 0 } = known?.client ?? {};
  const isSame = known?.authorizationServer === authorizationServer && known.redirectUrl === redirectUrl;
  return isSame && (expires === 0 || expires * 1_000 > now);
};

const clientMetadata = (redirectUrl: string, methods: readonly string[] | undefined) => ({
  client_name: "Mooring",
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  // PKCE protects the code, so no secret is needed where the server permits that.
  token_endpoint_auth_method: methods?.includes("none") === false ? (methods[0] ?? "client_secret_basic") : "none",
});

const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "registration_endpoint"];

const endpointsOf = (metadata: object): string[] =>
  Object.entries(metadata).flatMap(([name, value]) =>
    ENDPOINTS.includes(name) && typeof value === "string" ? [value] : [],
  );

const checkIssuer = ({ oauth: { issuer } }: SignInTarget, found: string): void => {
  if (issuer === undefined || new URL(issuer).href === new URL(found).href) return;
  throw new AppError("forbidden", `it names the authorization server ${found}, but issuer is ${issuer}`);
};

/** A server must not send the operator or the tokens to an address without encryption, or to another scheme. */
const checkEndpoint = ({ url, oauth: { issuer } }: SignInTarget, endpoint: string): void => {
  const { protocol, hostname } = URL.canParse(endpoint) ? new URL(endpoint) : { protocol: "", hostname: "" };
  const own = [url.hostname, ...(issuer === undefined ? [] : [new URL(issuer).hostname])];
  if (protocol === "https:" || (protocol === "http:" && own.includes(hostname))) return;
  throw new AppError(
    "forbidden",
    `its authorization server has the address ${endpoint.slice(0, 200)}: it must be https`,
  );
};

const MAX_REASON_CHARS = 300;

const explained = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const why = maskSecrets(messageOf(error)).slice(0, MAX_REASON_CHARS);
    throw new AppError("unavailable", `the authorization server ${what}: ${why}`, { cause: error });
  }
};
