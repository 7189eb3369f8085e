import type { IncomingHttpHeaders } from 'node:http';
import { ProblemError } from './problem.js';

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json *(?:; *charset="?utf-8"? *)?$/i;

/** The value that the body's JSON stands for, whatever it is; its shape is checked afterwards. */
export function parseJsonBody(bytes: Buffer, headers: IncomingHttpHeaders): unknown {
  const contentType = headers['content-type'];
  if (bytes.length === 0) throw notJson('The body is empty; this endpoint expects JSON.');
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    const found = contentType === undefined ? 'none' : JSON.stringify(contentType.slice(0, 80));
    throw new ProblemError({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
      title: 'Unsupported media type',
      detail: `The content type must be application/json in UTF-8, found ${found}.`,
    });
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw notJson(
      cause instanceof SyntaxError ? `The body is not JSON: ${place(cause)}.` : 'The body is not UTF-8.',
    );
  }
}

// V8 quotes the text around the mistake, which can be someone's account number; the position says enough.
function place(error: SyntaxError): string {
  const position = /position (\d+)/.exec(error.message)?.[1];
  return position === undefined
    ? 'it ends too early or has a misplaced character'
    : `look at position ${position}`;
}

function notJson(detail: string): ProblemError {
  return new ProblemError({ status: 400, code: 'BODY_NOT_JSON', title: 'Body is not JSON', detail });
}
