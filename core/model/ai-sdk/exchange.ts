/** One HTTP request to a model, as the network saw it: the SDKs report some broken streams as HTTP 500. */
export class Exchange {
  /** Undefined until the server has answered. */
  status: number | undefined;

  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    // Followed, a redirect would take the key in a custom header to another host.
    const response = await fetch(url, { ...init, redirect: "manual" });
    this.status = response.status;
    return response;
  };
}
