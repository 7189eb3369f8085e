import type { Route } from '@sluice/service-kit/http';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

const edgeStatuses = new Set([400, 401, 403, 404, 405, 413, 415, 422]);

/** Throws when an answer is not what the route's documentation promises, so that the OpenAPI document cannot lie. */
export function expectDocumented(
  routes: readonly Route[],
  request: { readonly method: string; readonly path: string },
  answer: ApiAnswer,
): void {
  const pathname = request.path.split('?')[0] ?? '';
  const found = routes.find(
    ({ method, path }) =>
      method === request.method.toLowerCase() &&
      new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
  if (found === undefined) throw new Error(`no route for ${request.method} ${request.path}`);
  const documented = found.answers?.[answer.status];
  if (documented !== undefined) {
    documented.schema?.parse(answer.body);
    return;
  }
  const { status, body } = answer;
  const isKnown = found.problems?.some(
    (problem) => problem.status === status && problem.code === body['code'],
  );
  const isOfTheEdge = edgeStatuses.has(status) && !String(body['code']).endsWith('_NOT_FOUND');
  if (isKnown !== true && !isOfTheEdge) {
    throw new Error(`${found.method} ${found.path} does not document ${status} ${JSON.stringify(body)}`);
  }
}
