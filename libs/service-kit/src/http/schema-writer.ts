import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

const jsonSchema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })).optional(),
  required: z.array(z.string()).optional(),
  $defs: z.record(z.string(), z.looseObject({})).optional(),
});

/** A JSON Schema as OpenAPI 3.1 takes it. */
export type JsonSchema = z.infer<typeof jsonSchema>;

export interface SchemaWriter {
  /** What callers send (`input`) or get (`output`). A schema with `.meta({ id })` is written once and referred to. */
  write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
  definitions(): Readonly<Record<string, unknown>>;
}

export function createSchemaWriter(): SchemaWriter {
  const definitions: Record<string, unknown> = {};
  return {
    write(schema, io) {
      // Inside of another schema, so that one with an id becomes a reference here as everywhere.
      const { properties, $defs = {} } = toJsonSchema(z.strictObject({ whole: schema }), io);
      for (const [id, { id: _same, ...definition }] of Object.entries($defs)) {
        if (id in definitions && !isDeepStrictEqual(definitions[id], definition)) {
          throw new Error(`two schemas have the id ${id} and differ; give one of them another`);
        }
        definitions[id] = definition;
      }
      return jsonSchema.parse(properties?.['whole']);
    },
    definitions: () => definitions,
  };
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const written = z.toJSONSchema(schema, {
    io,
    override(context) {
      // The pattern behind the format is half a page, and the format says it all.
      if (context.jsonSchema.format === 'date-time') delete context.jsonSchema.pattern;
    },
  });
  // References of zod point at the definitions of one schema; in a document these are components.
  const text = JSON.stringify(written, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value,
  );
  return jsonSchema.parse(JSON.parse(text));
}
