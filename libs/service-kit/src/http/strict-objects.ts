import { z } from 'zod';
import { wrappedType } from '../config/variable.js';

/**
 * The paths of all objects in the schema that would drop unknown fields without a word. A field that a caller
 * mistyped must be refused, so that every object says what it wants: `z.strictObject`, or openly `z.looseObject`.
 */
export function strippingObjects(schema: z.core.$ZodType, path = ''): string[] {
  return walk(schema, path, new Set());
}

function walk(schema: z.core.$ZodType, path: string, seen: Set<z.core.$ZodType>): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const inner = wrappedType(schema);
  if (inner !== undefined) return walk(inner, path, seen);
  if (schema instanceof z.core.$ZodObject) {
    const { catchall, shape } = schema._zod.def;
    const own = catchall === undefined ? [path || 'the whole'] : [];
    return [...own, ...Object.entries(shape).flatMap(([key, field]) => walk(field, `${path}.${key}`, seen))];
  }
  return partsOf(schema).flatMap((part) =>
    walk(part, schema instanceof z.core.$ZodArray ? `${path}[]` : path, seen),
  );
}

function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.core.$ZodArray) return [schema._zod.def.element];
  if (schema instanceof z.core.$ZodUnion) return schema._zod.def.options;
  if (schema instanceof z.core.$ZodIntersection) return [schema._zod.def.left, schema._zod.def.right];
  if (schema instanceof z.core.$ZodTuple) return schema._zod.def.items;
  if (schema instanceof z.core.$ZodRecord) return [schema._zod.def.valueType];
  if (schema instanceof z.core.$ZodPipe) return [schema._zod.def.in];
  if (schema instanceof z.core.$ZodLazy) return [schema._zod.def.getter()];
  return [];
}
