import type { DocumentedProblem, Route } from './route.js';

/** The problems that the edge answers with before and around a route's own work. */
export function edgeProblems(one: Route): readonly DocumentedProblem[] {
  return [
    ...(one.scope === 'public' ? [] : keyProblems),
    ...bodyProblems(one),
    ...(one.params === undefined ? [] : [malformedPath]),
    {
      status: 422,
      code: 'VALIDATION_FAILED',
      description: 'Some fields are not as described, or unknown; `errors` names them.',
    },
    {
      status: 500,
      code: 'INTERNAL_ERROR',
      description: 'A fault of the service; its log knows the request id.',
    },
    { status: 503, code: 'TIMED_OUT', description: 'The answer took too long; the effect is not known.' },
  ];
}

function bodyProblems({ body, bodyStream }: Route): readonly DocumentedProblem[] {
  if (bodyStream !== undefined) return withStream;
  return body === undefined ? withoutBody : withBody;
}

const malformedPath = {
  status: 400,
  code: 'MALFORMED_PATH',
  description: 'A % of the path is not followed by two hex digits.',
};

const tooLarge = { status: 413, code: 'BODY_TOO_LARGE', description: 'The body is larger than allowed.' };

const withoutBody: readonly DocumentedProblem[] = [
  { status: 400, code: 'BODY_NOT_EXPECTED', description: 'A body was sent.' },
  tooLarge,
];

const tooSlow = { status: 408, code: 'BODY_TOO_SLOW', description: 'The body stopped coming.' };

const withStream: readonly DocumentedProblem[] = [
  tooSlow,
  { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', description: 'The content type is another one.' },
  { status: 415, code: 'UNSUPPORTED_ENCODING', description: 'The body is compressed.' },
];

const withBody: readonly DocumentedProblem[] = [
  { status: 400, code: 'BODY_NOT_JSON', description: 'The body is not JSON.' },
  tooSlow,
  tooLarge,
  { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', description: 'The content type is not application/json.' },
  { status: 415, code: 'UNSUPPORTED_ENCODING', description: 'The body is compressed.' },
];

const keyProblems: readonly DocumentedProblem[] = [
  { status: 401, code: 'UNAUTHENTICATED', description: 'No key, or one that is not valid.' },
  { status: 403, code: 'SCOPE_MISSING', description: 'The key does not have the scope that is needed.' },
];
