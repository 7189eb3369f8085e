/** Speaks to the services' APIs with one key; an answer that was not asked for is an error that shows what came back. */
export interface ApiClient {
  send(method: string, url: string, body?: unknown): Promise<unknown>;
}

const REQUEST_TIMEOUT_MS = 10_000;

export function createApiClient(key: string): ApiClient {
  return {
    async send(method, url, body) {
      const response = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
      const answer: unknown = text === '' ? undefined : JSON.parse(text);
      return answer;
    },
  };
}
