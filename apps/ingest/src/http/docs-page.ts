import { z } from 'zod';
import type { OpenApiDocument } from '@sluice/service-kit/http';

const Operation = z.looseObject({
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), description: z.string().optional() }))
    .default([]),
  requestBody: z.looseObject({ content: z.record(z.string(), z.unknown()) }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ $ref: z.string().optional(), description: z.string().optional() }),
  ),
});

const Responses = z.record(z.string(), z.looseObject({ description: z.string() }));

const style = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; color: #1b1b1f; background: #fff; }
code, pre { font: 14px/1.45 ui-monospace, monospace; background: #f2f2f5; border-radius: 4px; }
code { padding: 0 .25em; } pre { padding: .75rem; overflow: auto; }
section { border-top: 1px solid #d5d5dc; padding: .5rem 0; } h3 { margin: .5rem 0 .25rem; }
.method { display: inline-block; min-width: 4em; font-weight: 600; text-transform: uppercase; }
dt { font-weight: 600; } dd { margin: 0 0 .4rem 1.5rem; white-space: pre-line; }
@media (prefers-color-scheme: dark) { body { color: #e6e6ea; background: #16161a; } code, pre { background: #26262c; } section { border-color: #3a3a42; } }
`;

/** A page for people, made of the documents themselves, with nothing from elsewhere. */
export function docsPage(openApi: OpenApiDocument, asyncApi: Record<string, unknown>): string {
  const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      describeOperation(path, method, { operation, openApi }),
    ),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(openApi.info['title'] ?? '')}</title><style>${style}</style></head><body>
<h1>${escape(openApi.info['title'] ?? '')}</h1>
<p>${escape(openApi.info['description'] ?? '')}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a> (HTTP) and <a href="/asyncapi.json">asyncapi.json</a> (Kafka).
Every call needs the header <code>Authorization: Bearer slk_…</code> with a key that has the scope named beside it.</p>
<h2>HTTP</h2>
${operations.join('\n')}
<h2>Schemas</h2>
${describeSchemas(openApi.components['schemas'])}
<h2>Kafka</h2>
<pre>${escape(JSON.stringify(asyncApi['channels'], undefined, 2))}</pre>
</body></html>
`;
}

function describeOperation(
  path: string,
  method: string,
  { operation: given, openApi }: { operation: unknown; openApi: OpenApiDocument },
): string {
  const operation = Operation.parse(given);
  const scopes = operation.security.flatMap((one) => Object.values(one).flat());
  const parameters = operation.parameters.map(
    ({ name, in: place, description = '' }) =>
      `<dt><code>${escape(name)}</code> in ${escape(place)}</dt><dd>${escape(description)}</dd>`,
  );
  const answers = Object.entries(operation.responses).map(
    ([status, { $ref, description }]) =>
      `<dt>${escape(status)}</dt><dd>${escape(description ?? describeReference($ref, openApi))}</dd>`,
  );
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(
    ([mediaType, content]) =>
      `<p>Body <code>${escape(mediaType)}</code></p><pre>${escape(JSON.stringify(content, undefined, 2))}</pre>`,
  );
  return `<section><h3><span class="method">${escape(method)}</span> <code>${escape(path)}</code></h3>
<p>${escape(operation.summary)}. ${escape(operation.description ?? '')}</p>
<p>Scope: ${scopes.length === 0 ? 'none' : scopes.map((scope) => `<code>${escape(scope)}</code>`).join(', ')}</p>
${parameters.length === 0 ? '' : `<dl>${parameters.join('')}</dl>`}${bodies.join('')}<dl>${answers.join('')}</dl></section>`;
}

function describeReference(reference: string | undefined, openApi: OpenApiDocument): string {
  const name = reference?.split('/').at(-1) ?? '';
  return Responses.parse(openApi.components['responses'])[name]?.description ?? '';
}

function describeSchemas(schemas: unknown): string {
  return Object.entries(z.record(z.string(), z.unknown()).parse(schemas))
    .map(
      ([name, schema]) =>
        `<section id="${escape(name)}"><h3>${escape(name)}</h3><pre>${escape(JSON.stringify(schema, undefined, 2))}</pre></section>`,
    )
    .join('\n');
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? '');
}
